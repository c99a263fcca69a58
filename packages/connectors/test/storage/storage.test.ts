import { join } from 'node:path';
import { isCulpritError } from '@culprit/core/connector';
import {
  makeBatch,
  makeItem,
  makeSuspect,
  runStoreContract,
  type Storage,
  type StorageSubject,
  valuesContract,
} from '@culprit/core/testing';
import fc from 'fast-check';
import { Keyv } from 'keyv';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { randomBetween } from '../../../../bench/faults/lib/random.mjs';
import { keyvValues } from '../../src/shared/keyv-values.js';
import { erasePersonFrom, exportLines, openStore, sealWith, storage } from '../../src/storage/index.js';
import { watchClock } from '../../src/storage/run-store/clock-watch.js';
import { embeddedStorage } from '../../src/storage/run-store/embedded-storage.js';
import { ownGroups } from '../../src/storage/run-store/groups.js';
import { levelKeyValue } from '../../src/storage/run-store/level-key-value.js';
import { memoryKeyValue } from '../../src/storage/run-store/memory-key-value.js';
import { sweepRuns } from '../../src/storage/run-store/retention.js';
import { sealBlocks } from '../../src/storage/run-store/search/seal-blocks.js';
import { sortedKeys } from '../../src/storage/run-store/sorted-keys.js';
import { createWriter } from '../../src/storage/run-store/writer.js';
import { valuesAdapter } from '../../src/storage/values-adapter.js';
import { fragileKeyValue } from './fragile-key-value.js';
import { searchAgrees } from './support/search-agrees.js';

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

for (const [kind, url] of [
  ['memory', () => 'memory:'],
  ['file', () => `file:${fresh()}`],
] as const) {
  t.test(`${kind} storage fulfils the contract`, async (t) => {
    for (const law of [...runStoreContract, ...valuesContract]) {
      await t.test(law.name, () => law.run(() => openAt(url())));
    }
  });
}

t.test('property: the index finds what comparing every run finds', async (t) => {
  const opened = await embeddedStorage(memoryKeyValue(), { logger, feedEntries: FEED });
  const seal = () => sealBlocks(opened.writer);
  await searchAgrees(t, { ...opened, seal }, (below) => randomBetween(0, below));
  await opened.close();
});

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
  for await (const _ of personErasure?.values(order) ?? []);
  t.equal(await cache.get('a'), undefined, 'erasing a person empties it');
  await parts.close?.();
  t.throws(() => storage({ url, cache: 'redis://' as never }), /cache must be/);
});

t.test('data survives reopening, and numbering continues in the same epoch', async (t) => {
  const url = `file:${fresh()}`;
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
});

t.test('a directory has one owner; a second one gets an error that says what to do', async (t) => {
  const directory = fresh();
  const first = await openAt(`file:${directory}`);
  const error = await failing(openAt(`file:${directory}`), 'storage_unavailable');
  t.match(error.message, /another process holds .*STORAGE_URL/i);
  await first.close();
  await (await openAt(`file:${directory}`)).close();
});

t.test('addresses', async (t) => {
  for (const [url, words] of [
    ['redis:localhost', /redis:\/\/host/],
    ['rediss://localhost/name', /rediss/],
    ['', /memory:.*file:/],
    ['sqlite:x', /memory:.*file:/],
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

t.test('a store of another schema is not changed', async (t) => {
  const store = memoryKeyValue();
  await store.batch([{ type: 'put', key: 'm/schema', value: '99' }]);
  const error = await failing(embeddedStorage(store, { logger, feedEntries: FEED }), 'configuration');
  t.match(error.message, /schema 99/);
});

t.test('a store of the first schema is migrated, and again after an interruption', async (t) => {
  const store = memoryKeyValue();
  const options = { logger, feedEntries: FEED };
  const first = await embeddedStorage(store, options);
  await first.runStore.record(makeBatch([makeItem(1, 'a'), makeItem(2, 'b')]));
  const ids = await store.entries({ gt: 'k/', lt: 'k0', limit: 9 });
  const [[older, text] = ['', '']] = ids;
  const { at, ...undated } = JSON.parse(text);
  t.match(at, /^\d{4}-/);
  await store.batch([
    { type: 'put', key: 'm/schema', value: '1' },
    { type: 'put', key: older, value: JSON.stringify(undated) },
  ]);
  const second = await embeddedStorage(store, options);
  t.same(await store.getMany(['m/schema']), ['2']);
  const dated = await store.entries({ gt: 'k/', lt: 'k0', limit: 9 });
  t.ok(dated.every(([, known]) => JSON.parse(known).at !== undefined));
  t.same(dated[1], ids[1], 'entries of this version do not change');
  t.equal((await second.runStore.record(makeBatch([makeItem(2, 'b')]))).outcomes[0]?.outcome, 'accepted');
});

t.test('reads reasons of 0.1.0, which are text, and of the model that 0.2 let choose', async (t) => {
  const store = memoryKeyValue();
  const { runStore } = await embeddedStorage(store, { logger, feedEntries: FEED });
  const { outcomes } = await runStore.record(makeBatch([makeItem(1, 'a')]));
  const run_id = outcomes[0]?.run_id ?? '';
  const chosen = { code: 'reader', quote: 'a()', place: 2, text: 'was chosen by the model' };
  const suspects = [{ ...makeSuspect(), reasons: ['owns line 3 of `a.js`, the crashed line', chosen] }];
  const value = JSON.stringify({ suspects, explanation: null, draft: null });
  await store.batch([{ type: 'put', key: `d/${run_id}`, value }]);
  const record = await runStore.get(run_id);
  t.strictSame(record?.run.suspects[0]?.reasons, [
    { code: 'text_only', text: 'owns line 3 of `a.js`, the crashed line' },
    { code: 'text_only', text: 'was chosen by the model' },
  ]);
});

t.test(
  'a failed write rejects all writes that shared it; writes based on it run again after recovery',
  async (t) => {
    const { store, fail, recovered } = fragileKeyValue(memoryKeyValue());
    const storage = await embeddedStorage(store, { logger, feedEntries: FEED });
    const heard: number[] = [];
    storage.statusFeed.watch(({ sequence }) => heard.push(sequence));
    const { runStore, statusFeed } = storage;
    await runStore.record(makeBatch([makeItem(1, 'a')]));

    fail('before');
    const settled = await Promise.allSettled(
      [2, 3].map((n) => runStore.record(makeBatch([makeItem(n, 'a')]))),
    );
    t.ok(
      settled.every((one) => one.status === 'rejected' && isCulpritError(one.reason, 'storage_unavailable')),
    );
    t.equal((await statusFeed.head()).sequence, 1);
    t.same(heard, [1]);

    fail('after');
    await failing(runStore.record(makeBatch([makeItem(2, 'a')])), 'storage_unavailable');
    t.same(heard, [1], 'changes that may be lost are not sent to listeners');
    fail('never');
    const again = await runStore.record(makeBatch([makeItem(2, 'a'), makeItem(3, 'a')]));
    t.same(
      again.outcomes.map(({ outcome }) => outcome),
      ['accepted', 'accepted'],
    );
    t.equal((await runStore.get(again.outcomes[0]?.run_id ?? ''))?.run.occurrences, 3);
    t.same(heard, [1, 2, 3], 'changes that proved to be stored are sent');
    t.equal(recovered(), 3);
  },
);

t.test(
  'property: concurrent and failing writes: each resolved one counts once, rejected ones never',
  async () => {
    const arrivals = fc.array(
      fc.record({ turns: fc.nat(6), key: fc.constantFrom('a', 'b'), throws: fc.boolean() }),
      { maxLength: 40, size: 'max' },
    );
    const outcomes = fc.infiniteStream(fc.record({ turns: fc.nat(8), fails: fc.boolean() }));
    const turns = async (count: number) => {
      for (let n = 0; n < count; n++) await new Promise(setImmediate);
    };
    await fc.assert(
      fc.asyncProperty(arrivals, outcomes, async (writes, disk) => {
        const memory = memoryKeyValue();
        let broken = false;
        const store = {
          ...memory,
          batch: async (operations: Parameters<typeof memory.batch>[0]) => {
            if (broken) throw new Error('written without recovery');
            const { value } = disk.next();
            await turns(value.turns);
            broken = value.fails;
            if (broken) throw new Error('the disk is full');
            await memory.batch(operations);
          },
          recover: async () => {
            broken = false;
          },
        };
        const writer = createWriter(ownGroups(store), async () => {});
        const heard: string[] = [];
        const expected: Record<string, number> = { a: 0, b: 0 };
        await Promise.all(
          writes.map(async ({ turns: wait, key, throws }, at) => {
            await turns(wait);
            const write = writer.write(async (tx) => {
              const [text] = await tx.getMany([key]);
              await turns(at % 2);
              tx.put(key, String(Number(text ?? 0) + 1));
              tx.afterCommit(() => heard.push(key));
              if (throws) throw new Error('refused');
            });
            await write.then(
              () => {
                expected[key] = (expected[key] ?? 0) + 1;
              },
              (error) => {
                if (error.message === 'written without recovery') throw error;
              },
            );
          }),
        );
        await writer.close();
        const [a, b] = await memory.getMany(['a', 'b']);
        const count = (key: string) => heard.filter((one) => one === key).length;
        return (
          Number(a ?? 0) === expected.a &&
          Number(b ?? 0) === expected.b &&
          count('a') === expected.a &&
          count('b') === expected.b
        );
      }),
      { numRuns: 200 },
    );
  },
);

t.test('a listener that throws affects no other', async (t) => {
  const errors: object[] = [];
  const storage = await embeddedStorage(memoryKeyValue(), {
    logger: { ...logger, error: (fields: object) => errors.push(fields) },
    feedEntries: FEED,
  });
  const heard: number[] = [];
  storage.statusFeed.watch(() => {
    throw new Error('listener');
  });
  storage.statusFeed.watch(({ sequence }) => heard.push(sequence));
  await storage.runStore.record(makeBatch([makeItem(1, 'a')]));
  t.same(heard, [1]);
  t.match(errors, [{ err: { message: 'listener' }, sequence: 1 }]);
});

t.test('rejected deliveries are kept for a range of sequence numbers and then deleted', async (t) => {
  const store = memoryKeyValue();
  const { runStore } = await embeddedStorage(store, { logger, feedEntries: FEED });
  const refused = (sequence: number) => ({
    sequence,
    event_id: `r${sequence}`,
    occurrence: null,
    refusal: { outcome: 'invalid' as const, detail: 'why' },
  });
  for (let from = 1; from <= 30_000; from += 1_000) {
    await runStore.record(makeBatch(Array.from({ length: 10 }, (_, n) => refused(from + n))));
  }
  const kept = await store.entries({ gt: 'x/', lt: 'x0', limit: 1_000 });
  t.ok(kept.length >= 100 && kept.length <= 130, `${kept.length} of 300 kept`);
});

t.test('expired values are deleted from disk without being read; values set again stay', async (t) => {
  const store = await levelKeyValue(fresh());
  const writer = createWriter(ownGroups(store), async () => {});
  let now = Date.now();
  const adapter = valuesAdapter(store, writer, () => now);
  const values = keyvValues(adapter);
  for (let n = 0; n < 30; n++) await values.set(`k${n}`, 'v', 1_000);
  await values.set('k0', 'new value');
  await values.set('k1', 'new value', 3_600_000);
  now += 2_000;
  for (let n = 0; n < 3; n++) await values.set('other', 'v', 1_000);
  const left = await store.entries({ gt: 'v/', lt: 'v0', limit: 100 });
  t.same(left.map(([key]) => key).sort(), ['v/k0', 'v/k1', 'v/other']);
  t.equal((await store.entries({ gt: 't/', lt: 't0', limit: 100 })).length, 2);
  t.equal(await values.get('k1'), 'new value');
  await values.set('k1', 'gone', 0);
  t.equal(await values.get('k1'), undefined);
  await adapter.clear();
  t.same(await store.entries({ gt: 't/', lt: 'v0', limit: 100 }), []);
  await store.close();
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

t.test('property: sorted keys equal those of a sorted set for any chunk size', async () => {
  const key = fc.stringMatching(/^[a-c]{1,4}$/);
  const step = fc.record({ add: fc.boolean(), key });
  await fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), key, key, (steps, gt, lt) => {
      const sorted = sortedKeys(4);
      const expected = new Set<string>();
      for (const { add, key: name } of steps) {
        sorted[add ? 'add' : 'remove'](name);
        expected[add ? 'add' : 'delete'](name);
      }
      const wanted = [...expected].filter((name) => name > gt && name < lt).sort();
      return [...sorted.between(gt, lt)].join() === wanted.join();
    }),
    { numRuns: 500 },
  );
});

t.test('property: both engines return the same for any batches, deletions and ranges', async () => {
  const level = await levelKeyValue(fresh());
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
      const rest = await level.entries({ gt: '', lt: '~', limit: 1_000 });
      await level.batch(rest.map(([stored]) => ({ type: 'del', key: stored })));
      for (const { batch, ...range } of steps) {
        for (const store of [memory, level]) await store.batch(batch);
        const [a, b] = [await memory.entries(range), await level.entries(range)];
        if (JSON.stringify(a) !== JSON.stringify(b)) return false;
        const names = batch.map((operation) => operation.key);
        const [c, d] = [await memory.getMany(names), await level.getMany(names)];
        if (JSON.stringify(c) !== JSON.stringify(d)) return false;
      }
      return true;
    }),
    { numRuns: 100 },
  );
  await level.close();
});

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
    for await (const line of exportLines(store.dump, { exported_at: NOW, installKey: null }))
      lines.push(line);
    return lines.join('\n');
  };
  t.match(await text(), /u-7731/);
  t.equal((await store.runOccurrences.statistics(run_id)).users.length / 7, 24);
  await erasePersonFrom(store, { id: 'u-7731', now: () => NOW, seal: sealWith(KEY) }, () => {});
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
  const feed = { append: async () => {} } as never;
  const parts = { ...store, feed, logger, now: () => Date.now() };
  t.equal(await sweepRuns(parts, { staged_raw: { ageMs: 0, count: 0 } }, async () => {}), 1);
  t.notMatch(await text(), /"key":"o\//, 'retention deletes the occurrences with their run');
  await store.close();
});

t.test('a clock that went forward deletes nothing for a day, also across a restart', async (t) => {
  const store = memoryKeyValue();
  const { writer } = await embeddedStorage(store, { logger, feedEntries: 10 });
  const said: object[] = [];
  const warn = (fields: object) => void said.push(fields);
  const [minute, day] = [60_000, 24 * 60 * 60_000];
  const time = { wall: Date.parse('2026-03-01'), steady: 0 };
  const watch = () =>
    watchClock({
      ...{ reads: store, writer, logger: { ...logger, warn } },
      ...{ now: () => time.wall, steady: () => time.steady },
    });
  const pass = (wall: number, steady = wall) => {
    time.wall += wall;
    time.steady += steady;
  };
  let mayDelete = watch();
  t.equal(await mayDelete(), true);
  pass(3 * day);
  t.equal(await mayDelete(), true, 'three days have passed');
  pass(3_650 * day, minute);
  t.equal(await mayDelete(), false, 'ten years in a minute have not');
  t.same(said, [{ days: 3650 }]);
  mayDelete = watch();
  t.equal(await mayDelete(), false, 'nor after a restart');
  pass(-3_650 * day, minute);
  t.equal(await mayDelete(), false);
  pass(day);
  t.equal(await mayDelete(), true, 'a day later, whatever the clock says');
  await writer.close();
});
