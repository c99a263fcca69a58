import assert from 'node:assert/strict';
import { test } from 'node:test';

function total(items) {
  return items.reduce((sum, item) => sum + item.price.amount, 0);
}

test('a cart has a total', () => {
  assert.equal(total([{ name: 'teapot' }]), 0);
});
