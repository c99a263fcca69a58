import assert from 'node:assert/strict';
import type { Values } from '../ports/values.js';
import { type ContractCase, onSubject } from './contract-case.js';

/** A fresh, empty store of values. */
export interface ValuesSubject {
  readonly values: Values;
  close?(): Promise<void>;
}

const KEYS = ['a', 'a:b', 'a/b', '', ' ', 'ключ', '\u{1f511}', '__proto__', 'x'.repeat(1_000), 'a\u0000b'];

/** The laws of `Values`. */
export const valuesContract: readonly ContractCase<ValuesSubject>[] = [
  law('a value comes back as it was set, the last one wins, an unknown key is undefined', async (values) => {
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
  law('keys of any shape are kept apart', async (values) => {
    for (const key of KEYS) await values.set(key, `value of ${key}`);
    for (const key of KEYS) assert.equal(await values.get(key), `value of ${key}`);
    await values.delete('a');
    for (const key of KEYS.slice(1)) assert.equal(await values.get(key), `value of ${key}`);
  }),
  law('delete forgets, also what is not there', async (values) => {
    await values.set('k', 'v');
    await values.delete('k');
    await values.delete('k');
    assert.equal(await values.get('k'), undefined);
  }),
  law(
    'a value with a time to live is there at first and gone afterwards; setting anew lifts it',
    async (values) => {
      await values.set('long', 'v', 3_600_000);
      await values.set('lifted', 'v', 5);
      await values.set('lifted', 'v');
      await values.set('short', 'v', 5);
      const deadline = Date.now() + 5_000;
      while ((await values.get('short')) !== undefined) {
        assert.ok(Date.now() < deadline, 'still there long after its time');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      assert.equal(await values.get('long'), 'v');
      assert.equal(await values.get('lifted'), 'v');
    },
  ),
  law('many callers at once do not disturb each other', async (values) => {
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key) => values.set(key, key.toUpperCase())));
    const found = await Promise.all(keys.map((key) => values.get(key)));
    assert.deepEqual(
      found,
      keys.map((key) => key.toUpperCase()),
    );
  }),
];

function law(name: string, check: (values: Values) => Promise<void>): ContractCase<ValuesSubject> {
  return onSubject(name, ({ values }) => check(values));
}
