import { join } from 'node:path';
import { isCulpritError } from '@culprit/core';
import { erasePersonFrom } from '@culprit/core/internal/store/erase/walk';
import type { Commit, KeyValue, Operation } from '@culprit/core/internal/store/key-value';
import { memoryKeyValue } from '@culprit/core/internal/store/memory-key-value';
import type { Storage } from '@culprit/core/internal/store/open-store';
import { sweepRuns } from '@culprit/core/internal/store/retention';
import { exportLines } from '@culprit/core/internal/store/transfer/export-file';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import { keyValueContract } from '@culprit/core/testing';
import fc from 'fast-check';
import { Keyv } from 'keyv';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { runStoreCases } from '../../../core/test/support/run-store-cases/run-store-cases.js';
import type { StorageSubject } from '../../../core/test/support/run-store-cases/storage-subject.js';
import { valuesCases } from '../../../core/test/support/run-store-cases/values-cases.js';
import { openStore, storage } from '../../src/storage/index.js';
import { levelKeyValue } from '../../src/storage/level/level-key-value.js';
import { openSqlite } from '../../src/storage/sqlite/sqlite-key-value.js';
import { noSqlite } from './support/open-storage.js';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const context = () => ({ fetch, logger, signal: new AbortController().signal });
const root = temporaryFolder(t, 'keyv');
let made = 0;
const fresh = () => join(root, `dir${++made}`);
const FEED = 300;

type Opened = StorageSubject & {
  check(signal: AbortSignal): Promise<readonly unknown[]>;
  close(): Promise<void>;
};
async function openAt(url: string, feedEntries = FEED): Promise<Opened> {
  const parts = await storage({ url, feedEntries }).setup(context());
  return { ...(parts as unknown as Opened), feedEntries };
}
const code = (wanted: Parameters<typeof isCulpritError>[1]) => (error: unknown) => {
  if (!isCulpritError(error, wanted)) throw error;
  return error;
};
const failing = async (work: Promise<unknown>, wanted: Parameters<typeof isCulpritError>[1]) =>
  code(wanted)(
    await work.then(
      () => new Error('it did not fail'),
      (error: unknown) => error,
    ),
  );

/** The kinds of storage that one process owns, which are in files. */
const KINDS = [
  {
    kind: 'file',
    address: () => `file:${fresh()}`,
    skip: false,
    open: (url: string) => levelKeyValue(url.slice('file:'.length)),
  },
  {
    kind: 'sqlite',
    address: () => `sqlite:${join(fresh(), 'culprit.db')}`,
    skip: noSqlite,
    open: async (url: string) => (await openSqlite(url.slice('sqlite:'.length))).store,
  },
] as const;

for (const { kind, address, skip, open } of KINDS) {
  t.test(`a key-value store of the kind ${kind} fulfils the contract`, { skip }, async (t) => {
    for (const law of keyValueContract) {
      await t.test(law.name, () =>
        law.run(async () => {
          const url = address();
          const store = await open(url);
          return { store, reopen: () => open(url), close: () => store.close() };
        }),
      );
    }
  });

  t.test(`storage of the kind ${kind} stores runs and values as it should`, { skip }, async (t) => {
    for (const law of [...runStoreCases, ...valuesCases]) {
      await t.test(law.name, () => law.run(() => openAt(address())));
    }
  });

  t.test(`${kind}: data survives reopening, and numbering continues in the same epoch`, { skip }, (t) =>
    survives(t, address()),
  );

  t.test(
    `${kind}: a storage has one owner; others get an error that says what to do`,
    { skip },
    async (t) => {
      const url = address();
      const first = await openAt(url);
      const error = await failing(openAt(url), 'storage_unavailable');
      t.match(error.message, /another process holds .*STORAGE_URL/i);
      await first.runStore.record(makeBatch([makeItem(1, 'a')]));
      const reading = await openStore({ url, logger, reading: true });
      t.same([reading.copied, await reading.countRuns('staged_raw')], [true, 1], 'a tool reads a copy');
      await reading.close();
      await first.close();
      await (await openAt(url)).close();
    },
  );
}

t.test(
  'sqlite on an older Node.js says what to do',
  { skip: noSqlite ? false : 'node:sqlite is here' },
  async (t) => {
    const error = await failing(openAt(`sqlite:${fresh()}`), 'connector_missing');
    t.match(error.message, /Node\.js 22\.13.*STORAGE_URL=file:/);
  },
);

t.test('caches go to the Keyv that an embedder passes; answers that 0.1.0 stored are removed', async (t) => {
  const url = `file:${fresh()}`;
  const before = await openAt(url);
  for (const key of ['github:answers:blame.1:7', 'gitlab:answers:gitlab.diff.1:7', 'slack:run_1'])
    await before.values.set(`connector:${key}`, '{}');
  await before.close();
  const cache = new Keyv<string>();
  const { personErasure, values, ...parts } = await storage({ url, cache }).setup(context());
  while ((await values?.get('connector:gitlab:answers:gitlab.diff.1:7')) !== undefined)
    await new Promise(setImmediate);
  t.equal(await values?.get('connector:github:answers:blame.1:7'), undefined);
  t.equal(await values?.get('connector:slack:run_1'), '{}');
  t.equal(parts.cache, cache);
  await cache.set('a', 'Kim');
  const signal = new AbortController().signal;
  const order = { person: 'kim@example.com', erasure_id: 'era_1', by: null, dryRun: false, signal };
  for await (const _ of personErasure?.walk(order) ?? []);
  t.equal(await cache.get('a'), undefined, 'erasing a person empties it');
  await parts.close?.();
  t.throws(() => storage({ url, cache: 'redis://' as never }), /cache must be/);
});

async function survives(t: Test, url: string): Promise<void> {
  const first = await openAt(url);
  const batch = makeBatch([
    makeItem(1, 'a'),
    { sequence: 2, event_id: 'x', occurrence: null, refusal: { outcome: 'invalid', detail: 'why' } },
    makeItem(3, 'b'),
  ]);
  const recorded = await first.runStore.record(batch);
  const run_id = recorded.outcomes[0]?.run_id ?? '';
  const change = {
    run_id,
    version: 1,
    patch: { state: 'rejected' },
    now: '2026-02-01T00:00:00.000Z',
  } as const;
  const record = await first.runStore.change({ ...change, history: [] });
  await first.values.set('evidence', 'kept');
  const [head, page] = [await first.statusFeed.head(), await first.runStore.page({ limit: 1 })];
  await first.close();
  await failing(first.runStore.record(batch), 'closed');
  await failing(first.runStore.get(run_id), 'closed');

  const second = await openAt(url);
  const { outcomes, watermark } = await second.runStore.record(batch);
  t.same({ outcomes, watermark }, { outcomes: recorded.outcomes, watermark: 3 }, 'same result as before');
  t.same(await second.runStore.get(run_id), record);
  t.same(await second.runStore.page({ limit: 1 }), page);
  t.equal((await second.runHistory.history(run_id)).length, 1);
  t.equal(await second.values.get('evidence'), 'kept');
  t.same(await second.statusFeed.head(), head);
  t.equal((await second.statusFeed.since({ ...head, sequence: 0 }, 10))?.length, 3);
  await second.runStore.record(makeBatch([makeItem(4, 'b')]));
  t.equal((await second.statusFeed.head()).sequence, 4);
  t.match(await second.check(context().signal), [{ name: 'storage', ok: true }]);
  await second.close();
}

t.test('addresses', async (t) => {
  for (const [url, words] of [
    ['redis:localhost', /redis:\/\/host/],
    ['rediss://localhost/name', /rediss/],
    ['', /memory:.*file:/],
    ['mysql:x', /memory:.*file:.*sqlite:/],
    ['sqlite:', /must name a file/],
    ['file:', /must name a directory/],
    ['file://host/x', /file:\/\/\//],
  ] as const) {
    const thrown = t.throws(() => storage({ url })) as unknown;
    t.match((thrown as Error | undefined)?.message, words, url);
    t.ok(isCulpritError(thrown, 'configuration'));
  }
  t.throws(() => storage({ url: 'memory:', extra: 1 } as never));
  const blocked = await failing(openAt('file:/dev/null/x'), 'storage_unavailable');
  t.match(blocked.message, /\/dev\/null\/x/);
  const absolute = await openAt(`file://${fresh()}`);
  await absolute.close();
});

t.test('property: any value is returned unchanged by both stores', async () => {
  const both: Storage[] = [await openAt('memory:'), await openAt(`file:${fresh()}`)];
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(':base64:AA', ':x', '{"value":1}', '0 x'),
  );
  await fc.assert(
    fc.asyncProperty(text, text, async (key, value) => {
      for (const { values } of both) {
        await values.set(key, value);
        if ((await values.get(key)) !== value) return false;
      }
      return true;
    }),
    { numRuns: 200 },
  );
  for (const storage of both) await (storage as Opened).close();
});

for (const { kind, address, skip, open } of KINDS)
  t.test(`property: ${kind} returns the same as memory for any commits and ranges`, { skip }, (t) =>
    agrees(t, () => open(address())),
  );

async function agrees(t: Test, open: () => Promise<KeyValue>): Promise<void> {
  const other = await open();
  t.teardown(() => other.close());
  const write = (store: KeyValue, operations: Commit['operations']) =>
    store.commit({ operations, expected: new Map(), feed: { entries: [], keep: 0 } });
  const key = fc.stringMatching(/^[a-c/]{1,4}$/);
  const put = fc.record({ type: fc.constant('put' as const), key, value: fc.string() });
  const del = fc.record({ type: fc.constant('del' as const), key });
  const step = fc.record({
    batch: fc.array(fc.oneof(put, del), { maxLength: 8 }),
    gt: key,
    lt: key,
    limit: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const memory = memoryKeyValue();
      const rest = await other.entries({ gt: '', lt: '~', limit: 1_000 });
      await write(
        other,
        rest.map(([stored]): Operation => ({ type: 'del', key: stored })),
      );
      for (const { batch, ...range } of steps) {
        for (const store of [memory, other]) await write(store, batch);
        const [a, b] = [await memory.entries(range), await other.entries(range)];
        if (JSON.stringify(a) !== JSON.stringify(b)) return false;
        const names = batch.map((operation) => operation.key);
        const [c, d] = [await memory.getMany(names), await other.getMany(names)];
        if (JSON.stringify(c) !== JSON.stringify(d)) return false;
      }
      return true;
    }),
    { numRuns: 100 },
  );
}

const KEY = 'an audit key of thirty-two chars';
const NOW = '2026-03-01T00:00:00.000Z';

t.test('occurrences: an erased person, a run of an older version, and retention', async (t) => {
  const store = await openStore({ url: `file:${fresh()}`, logger, auditKey: KEY, reading: false });
  const record = async (from: number, to: number) => {
    const items = Array.from({ length: to - from + 1 }, (_, at) => {
      const user = (from + at) % 2 === 0 ? { id: 'u-7731' } : { id: `u-${from + at}` };
      const tags = { seller: user.id, at: `${from + at}` };
      return makeItem(0, 'a', {
        event_id: `o${from + at}`,
        user,
        tags,
        release: `v${Math.ceil((from + at) / 30)}`,
      });
    });
    return (await store.runStore.record(makeBatch(items, { edge: 'embedded' }))).outcomes[0]?.run_id ?? '';
  };
  const run_id = await record(1, 1);
  for (const [from, to] of [
    [2, 2],
    [3, 40],
    [41, 45],
  ] as const)
    await record(from, to);
  const text = async () => {
    const lines: string[] = [];
    for await (const line of exportLines(store.reads, { exported_at: NOW, installKey: null }))
      lines.push(line);
    return lines.join('\n');
  };
  t.match(await text(), /u-7731/);
  t.equal((await store.runOccurrences.statistics(run_id)).users.length / 7, 24);
  await erasePersonFrom(store, { person: 'u-7731' }, () => {});
  t.notMatch(await text(), /u-7731/, 'rows, chunks, statistics and stored events');
  const { occurrences, events } = await store.runOccurrences.page(run_id, { limit: 50 });
  t.same([occurrences.length, occurrences[1]?.user, events], [45, '[erased]', [45, 40, 1]]);
  t.match(await store.runOccurrences.event(run_id, 40), {
    entry: { number: 40 },
    event: { event_id: 'o40' },
  });
  t.equal(
    (await store.runOccurrences.statistics(run_id)).users.length / 7,
    24,
    '23 others and the erased one',
  );
  t.same((await store.runStore.get(run_id))?.run.users, { count: 24, more: false });

  await store.writer.write(async (tx) => {
    const [head = ''] = await tx.getMany([`h/${run_id}`]);
    const { log: _, ...older } = JSON.parse(head);
    for (const [key] of await store.reads.entries({ gt: 'o/', lt: 'o0', limit: 999 })) tx.del(key);
    tx.put(`h/${run_id}`, JSON.stringify(older));
  });
  t.same(await store.runOccurrences.page(run_id, { limit: 9 }), { occurrences: [], events: [], next: null });
  await record(46, 47);
  const later = await store.runOccurrences.page(run_id, { limit: 9 });
  t.same(
    later.occurrences.map(({ number }) => number),
    [47, 46],
    'numbers go on after those that an older version counted',
  );
  t.same((await store.runStore.get(run_id))?.run.users, { count: 2, more: false }, 'as the statistics');

  await store.writer.write(async (tx) => {
    const [head = ''] = await tx.getMany([`h/${run_id}`]);
    const { run, log, ...rest } = JSON.parse(head);
    tx.put(
      `h/${run_id}`,
      JSON.stringify({ ...rest, run: { ...run, users: undefined }, log: { ...log, users: undefined } }),
    );
    for (const [key] of await store.reads.entries({ gt: 'a/order.users/', lt: 'a/order.users0', limit: 9 }))
      tx.del(key);
    tx.put('i/complete', '1');
  });
  const byUsers = () => store.runStore.page({ limit: 5, order: 'users' });
  t.match(await byUsers(), { runs: [], indexing: true }, 'an older version has not counted users');
  t.equal((await store.runStore.page({ limit: 5, order: 'seen' })).indexing, undefined);
  t.equal(await store.indexRuns(), 1);
  const { runs, indexing } = await byUsers();
  t.same([runs.map((one) => one.users), indexing], [[{ count: 2, more: false }], undefined]);
  const parts = { ...store, logger, now: () => Date.now() };
  t.equal(await sweepRuns(parts, { staged_raw: { ageMs: 0, count: 0 } }, async () => {}), 1);
  t.notMatch(await text(), /"key":"o\//, 'retention deletes the occurrences with their run');
  await store.close();
});
