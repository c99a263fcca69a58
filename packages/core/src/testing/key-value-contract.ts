import assert from 'node:assert/strict';
import { isCulpritError } from '../errors/error.js';
import { type KeyValue, type Operation, type Sharing, walk, walkKeys } from '../store/key-value.js';
import { type ContractCase, onSubject } from './contract-case.js';

/** A fresh, empty key-value store under test. */
export interface KeyValueSubject {
  readonly store: KeyValue;
  /** Opens the same data again, after `store` was closed. Absent: they are lost with the process. */
  readonly reopen?: () => Promise<KeyValue>;
  close?(): Promise<void>;
}

const NOTHING = { expected: new Map<string, string>(), feed: { entries: [], keep: 9 } };
const put = (key: string, value: string): Operation => ({ type: 'put', key, value });
const del = (key: string): Operation => ({ type: 'del', key });
const write = (store: KeyValue, ...operations: Operation[]) => store.commit({ ...NOTHING, operations });
/** Keys whose order matters have such names. */
const entry = (n: number) => `l/run_1/${String(n).padStart(16, '0')}`;
const list = (store: KeyValue, from: number, to: number, limit = 100) =>
  store.entries({ gt: entry(from), lt: entry(to), limit });
const names = (entries: readonly (readonly [string, string])[]) => entries.map(([key]) => key);
/** Values may have any name and any text. */
const TEXTS = ['', ' ', 'a', 'a:b', 'a/b', 'ключ', '\u{1f511}', '__proto__', 'x'.repeat(1_000), 'a\u0000b\n'];

/** The rules of `KeyValue`, over which core keeps everything that it stores. */
export const keyValueContract: readonly ContractCase<KeyValueSubject>[] = [
  law(
    'getMany returns the latest values in the order of the keys, and undefined for absent ones',
    async (store) => {
      assert.deepEqual(await store.getMany([]), []);
      await write(store, put('h/a', 'one'), put('h/b', 'two'), put(entry(1), 'three'));
      await write(store, put('h/a', 'four'));
      const found = await store.getMany(['h/b', 'h/x', 'h/a', entry(1), entry(2), 'h/b']);
      assert.deepEqual(found, ['two', undefined, 'four', 'three', undefined, 'two']);
      await write(store, del('h/a'), del('h/unknown'), del(entry(1)));
      assert.deepEqual(await store.getMany(['h/a', 'h/b', entry(1)]), [undefined, 'two', undefined]);
    },
  ),
  law('entries returns what is strictly between, ascending, up to the limit', async (store) => {
    await write(store, ...[5, 3, 1, 4, 2].map((n) => put(entry(n), `value ${n}`)));
    await write(store, put(`l/run_2/${'1'.padStart(16, '0')}`, 'of another run'));
    assert.deepEqual(await list(store, 1, 4), [
      [entry(2), 'value 2'],
      [entry(3), 'value 3'],
    ]);
    assert.deepEqual(names(await list(store, 0, 9)), [1, 2, 3, 4, 5].map(entry));
    assert.deepEqual(names(await list(store, 0, 9, 2)), [1, 2].map(entry));
    assert.deepEqual(await list(store, 5, 9), []);
    assert.deepEqual(await store.entries({ gt: 'l/run_3/', lt: 'l/run_3/\u007f', limit: 9 }), []);
    await write(store, del(entry(3)), put(entry(4), 'another'));
    assert.deepEqual(await list(store, 2, 5), [[entry(4), 'another']]);
  }),
  law('keys of values and texts may have any characters, and a value several megabytes', async (store) => {
    await write(store, ...TEXTS.map((text) => put(`v/${text}`, `0 ${text}`)));
    const found = await store.getMany(TEXTS.map((text) => `v/${text}`));
    assert.deepEqual(
      found,
      TEXTS.map((text) => `0 ${text}`),
    );
    const large = '{"\u2028\u{1f980}"}'.repeat(300_000);
    await write(store, put('e/large', large), put('e/empty', ''));
    assert.deepEqual(await store.getMany(['e/large', 'e/empty']), [large, '']);
  }),
  law('one commit may have thousands of operations, and one read thousands of keys', async (store) => {
    const all = Array.from({ length: 5_000 }, (_, n) => n);
    await write(store, ...all.flatMap((n) => [put(`h/${n}`, `${n}`), put(entry(n), `${n}`)]));
    assert.deepEqual(await store.getMany(all.map((n) => `h/${n}`)), all.map(String));
    assert.equal((await store.entries({ gt: 'l/run_1/', lt: 'l/run_1/\u007f', limit: 9_999 })).length, 5_000);
  }),
  law('a read sees all of a commit or nothing, also while others write', async (store) => {
    const pair = (n: number) => write(store, put('h/a', `${n}`), put('h/b', `${n}`));
    await pair(0);
    const writing = Array.from({ length: 50 }, (_, n) => pair(n));
    const reading = Array.from({ length: 50 }, () => store.getMany(['h/a', 'h/b']));
    for (const [a, b] of await Promise.all(reading)) assert.equal(a, b);
    await Promise.all(writing);
  }),
  law('every entry below a prefix is found', async (store) => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `h/run_${n}`);
    await write(store, ...ids.map((key) => put(key, key.slice(2))), put('g/x', ''), put('i/x', ''));
    const keys: string[] = [];
    for await (const some of walkKeys(store, 'h/')) keys.push(...some);
    assert.deepEqual([...new Set(keys)].sort(), [...ids].sort());
    const found = new Map<string, string>();
    for await (const some of walk(store, 'h/')) for (const [key, value] of some) found.set(key, value);
    assert.deepEqual([...found].sort(), ids.map((key) => [key, key.slice(2)]).sort());
  }),
  law('recover may be called at any time', async (store) => {
    await write(store, put('h/a', 'one'));
    await store.recover();
    await write(store, put('h/b', 'two'));
    assert.deepEqual(await store.getMany(['h/a', 'h/b']), ['one', 'two']);
  }),
  {
    name: 'what a commit has written is there after a restart; a closed store rejects',
    run: async (make) => {
      const { store, reopen, close } = await make();
      try {
        if (reopen === undefined) return;
        await write(store, put('h/a', 'one'), put(entry(1), 'two'));
        await store.close();
        await assert.rejects(store.getMany(['h/a']), (error) => isCulpritError(error, 'closed'));
        await assert.rejects(write(store, put('h/a', 'no')), (error) => isCulpritError(error, 'closed'));
        const again = await reopen();
        assert.deepEqual(await again.getMany(['h/a', entry(1)]), ['one', 'two']);
        await again.close();
      } finally {
        await close?.();
      }
    },
  },
  shared('a commit whose reads have changed writes nothing', async (store) => {
    for (const key of ['h/a', 'v/a']) {
      const versions = new Map<string, string>();
      assert.deepEqual(await store.getMany([key], versions), [undefined]);
      await write(store, put(key, '{"value":"one"}'));
      await store.getMany([key], versions);
      const late = { ...NOTHING, operations: [put(key, 'late'), put('h/other', 'late')], expected: versions };
      assert.equal(await store.commit(late), null, 'an earlier read counts');
      assert.deepEqual(await store.getMany([key, 'h/other']), ['{"value":"one"}', undefined]);
      const now = new Map<string, string>();
      await store.getMany([key], now);
      assert.notEqual(
        await store.commit({ ...NOTHING, operations: [put(key, '{"value":"two"}')], expected: now }),
        null,
      );
    }
  }),
  shared('entries of the feed get numbers without gaps; the latest are kept', async (store) => {
    const append = (...entries: string[]) =>
      store.commit({ operations: [], expected: new Map(), feed: { entries, keep: 3 } });
    assert.deepEqual(await append('{"a":1}', '{"a":2}'), { feedFirst: 1 });
    assert.deepEqual(await append('{"a":3}', '{"a":4}'), { feedFirst: 3 });
    const range = { gt: `f/${'0'.repeat(16)}`, lt: `f/${'9'.repeat(16)}`, limit: 9 };
    assert.deepEqual(
      (await store.entries(range)).map(([, text]) => JSON.parse(text)),
      [2, 3, 4].map((sequence) => ({ sequence, run: { a: sequence } })),
    );
  }),
  shared('counts are added to, and a quota is not exceeded', async (store) => {
    const count = (value: string) => write(store, { type: 'count', key: 'q/a', value });
    const stored = async () => (await store.getMany(['q/a']))[0];
    await count('1 0 1 10 0');
    await count('1 0 1 10 0');
    assert.equal(await stored(), '2 0 2 20 0');
    assert.equal(await count('1 0 1 10 0 2 9 99'), null, 'three new runs where two are allowed');
    assert.equal(await stored(), '2 0 2 20 0');
    assert.notEqual(await count('1 0 1 10 0 3 9 99'), null);
    await count('1 7 1 10 0');
    assert.equal(await stored(), '1 7 4 40 0', 'the new runs of another hour');
  }),
  shared('numbers are never given twice, and a value that is there stays', async (_, sharing) => {
    const numbers = await Promise.all(Array.from({ length: 100 }, () => sharing.number()));
    assert.equal(new Set(numbers).size, 100);
    assert.equal(await sharing.putIfAbsent('m/x', 'one'), 'one');
    assert.equal(await sharing.putIfAbsent('m/x', 'two'), 'one');
  }),
  shared('listeners learn where the feed is, and that it has changed', async (store, sharing) => {
    let changes = 0;
    const joined: { readonly epoch: string; readonly sequence: number }[] = [];
    await sharing.watch({ joined: (cursor) => joined.push(cursor), changed: () => changes++ });
    assert.equal(joined[0]?.sequence, 0);
    await store.commit({ operations: [], expected: new Map(), feed: { entries: ['{}'], keep: 3 } });
    while (changes === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }),
];

function law(name: string, check: (store: KeyValue) => Promise<void>): ContractCase<KeyValueSubject> {
  return onSubject(name, ({ store }) => check(store));
}

/** A rule for a store that several processes use. */
function shared(
  name: string,
  check: (store: KeyValue, sharing: Sharing) => Promise<void>,
): ContractCase<KeyValueSubject> {
  return onSubject(`shared: ${name}`, async ({ store }) => {
    if (store.sharing !== undefined) await check(store, store.sharing);
  });
}
