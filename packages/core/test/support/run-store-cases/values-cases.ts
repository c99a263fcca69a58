import assert from 'node:assert/strict';
import type { Values } from '../../../src/ports/values.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';

/** A fresh, empty store of values. */
export interface ValuesSubject {
  readonly values: Values;
  close?(): Promise<void>;
}

const KEYS = ['a', 'a:b', 'a/b', '', ' ', 'ключ', '\u{1f511}', '__proto__', 'x'.repeat(1_000), 'a\u0000b'];

/** The rules of the `Values` port. */
export const valuesCases: readonly ContractCase<ValuesSubject>[] = [
  law('get returns the latest value, or undefined for an unknown key', async (values) => {
    assert.equal(await values.get('k'), undefined);
    await values.set('k', 'one');
    await values.set('k', '{"two":"\u2028\u{1f980}"}');
    assert.equal(await values.get('k'), '{"two":"\u2028\u{1f980}"}');
    await values.set('empty', '');
    assert.equal(await values.get('empty'), '');
    const large = 'x'.repeat(2_000_000);
    await values.set('large', large);
    assert.equal(await values.get('large'), large);
  }),
  law('keys of any shape are distinct', async (values) => {
    for (const key of KEYS) await values.set(key, `value of ${key}`);
    for (const key of KEYS) assert.equal(await values.get(key), `value of ${key}`);
    await values.delete('a');
    for (const key of KEYS.slice(1)) assert.equal(await values.get(key), `value of ${key}`);
  }),
  law('delete removes a value; deleting an unknown key is allowed', async (values) => {
    await values.set('k', 'v');
    await values.delete('k');
    await values.delete('k');
    assert.equal(await values.get('k'), undefined);
  }),
  law(
    'a value expires after its time to live; setting it again without one removes the expiry',
    async (values) => {
      await values.set('long', 'v', 3_600_000);
      await values.set('lifted', 'v', 5);
      await values.set('lifted', 'v');
      await values.set('short', 'v', 5);
      const deadline = Date.now() + 5_000;
      while ((await values.get('short')) !== undefined) {
        assert.ok(Date.now() < deadline, 'the value did not expire');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      assert.equal(await values.get('long'), 'v');
      assert.equal(await values.get('lifted'), 'v');
    },
  ),
  law('concurrent callers do not affect each other', async (values) => {
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key) => values.set(key, key.toUpperCase())));
    const found = await Promise.all(keys.map((key) => values.get(key)));
    assert.deepEqual(
      found,
      keys.map((key) => key.toUpperCase()),
    );
  }),
  law('change passes the current value, and keeps it if the callback returns undefined', async (values) => {
    const seen: (string | undefined)[] = [];
    const decide = (answer: string | undefined) => (before: string | undefined) => {
      seen.push(before);
      return answer;
    };
    assert.equal(await values.change('k', decide(undefined)), undefined);
    assert.equal(await values.get('k'), undefined);
    for (const text of [':one', ':base64:AA', '', '{"two":2}']) {
      assert.equal(await values.change('k', decide(text)), text);
      assert.equal(await values.get('k'), text);
      assert.equal(await values.change('k', decide(undefined)), text);
      await values.set('k', `set ${text}`);
      assert.equal(await values.change('k', decide(text)), text);
    }
    assert.equal(seen[0], undefined);
    assert.deepEqual(seen.slice(2, 5), [':one', 'set :one', ':one']);
    assert.equal(await values.change('k', decide('gone'), 0), undefined);
    assert.equal(await values.get('k'), undefined);
    await values.change('k', decide('short'), 5);
    const deadline = Date.now() + 5_000;
    while ((await values.change('k', decide(undefined))) !== undefined) {
      assert.ok(Date.now() < deadline, 'the value did not expire');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await assert.rejects(
      values.change('k', () => {
        throw new Error('no');
      }),
    );
    assert.equal(await values.change('k', (before) => `${before} again`, 60_000), 'undefined again');
  }),
  law('no concurrent change is lost', async (values) => {
    const more = (before: string | undefined) => String(Number(before ?? 0) + 1);
    await Promise.all(Array.from({ length: 50 }, () => values.change('counter', more)));
    assert.equal(await values.get('counter'), '50');
  }),
];

function law(name: string, check: (values: Values) => Promise<void>): ContractCase<ValuesSubject> {
  return onSubject(name, ({ values }) => check(values));
}
