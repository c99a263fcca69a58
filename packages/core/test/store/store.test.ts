import fc from 'fast-check';
import t from 'tap';
import { randomBetween } from '../../../../bench/faults/lib/random.mjs';
import type { RunSummary } from '../../src/domain/run.js';
import { isCulpritError } from '../../src/errors/error.js';
import { watchClock } from '../../src/store/background.js';
import { putAll } from '../../src/store/feed.js';
import type { KeyValue } from '../../src/store/key-value.js';
import { memoryKeyValue, sortedKeys } from '../../src/store/memory-key-value.js';
import { openStore } from '../../src/store/open-store.js';
import { sealBlocks } from '../../src/store/search/index-runs.js';
import { storedValues } from '../../src/store/values.js';
import type { WriterFeed } from '../../src/store/view.js';
import { createWriter } from '../../src/store/writer.js';
import { silentLogger as logger } from '../../src/system.js';
import { makeBatch, makeItem } from '../../src/testing/builders.js';
import { makeSuspect } from '../../src/testing/make-run.js';
import { fragileKeyValue } from '../support/fragile-key-value.js';
import { searchAgrees } from '../support/search-agrees.js';

const FEED = 300;
const NO_FEED: WriterFeed = {
  keep: 0,
  numbered: () => [],
  committed: async () => {},
  catchUp: async () => {},
};
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

t.test('property: the index finds what comparing every run finds', async (t) => {
  const opened = await openStore(memoryKeyValue(), { logger, feedEntries: FEED });
  const seal = () => sealBlocks(opened.writer);
  await searchAgrees(t, { ...opened, seal }, (below) => randomBetween(0, below));
  await opened.close();
});

t.test('a store of another schema is not changed', async (t) => {
  const store = memoryKeyValue();
  await putAll(store, [['m/schema', '99']]);
  const error = await failing(openStore(store, { logger, feedEntries: FEED }), 'configuration');
  t.match(error.message, /schema 99/);
});

t.test('a store of the first schema is migrated, and again after an interruption', async (t) => {
  const store = memoryKeyValue();
  const options = { logger, feedEntries: FEED };
  const first = await openStore(store, options);
  await first.runStore.record(makeBatch([makeItem(1, 'a'), makeItem(2, 'b')]));
  const ids = await store.entries({ gt: 'k/', lt: 'k0', limit: 9 });
  const [[older, text] = ['', '']] = ids;
  const { at, ...undated } = JSON.parse(text);
  t.match(at, /^\d{4}-/);
  await putAll(store, [
    ['m/schema', '1'],
    [older, JSON.stringify(undated)],
  ]);
  const second = await openStore(store, options);
  t.same(await store.getMany(['m/schema']), ['2']);
  const dated = await store.entries({ gt: 'k/', lt: 'k0', limit: 9 });
  t.ok(dated.every(([, known]) => JSON.parse(known).at !== undefined));
  t.same(dated[1], ids[1], 'entries of this version do not change');
  t.equal((await second.runStore.record(makeBatch([makeItem(2, 'b')]))).outcomes[0]?.outcome, 'accepted');
});

t.test('reads a run of 0.1.0, which stored the reasons of a suspect as text', async (t) => {
  const store = memoryKeyValue();
  const { runStore } = await openStore(store, { logger, feedEntries: FEED });
  const { outcomes } = await runStore.record(makeBatch([makeItem(1, 'a')]));
  const run_id = outcomes[0]?.run_id ?? '';
  const suspects = [{ ...makeSuspect(), reasons: ['owns line 3 of `a.js`, the crashed line'] }];
  const value = JSON.stringify({ suspects, explanation: null, draft: null });
  await putAll(store, [[`d/${run_id}`, value]]);
  const record = await runStore.get(run_id);
  t.strictSame(record?.run.suspects[0]?.reasons, [
    { code: 'text_only', text: 'owns line 3 of `a.js`, the crashed line' },
  ]);
});

t.test(
  'a failed write rejects all writes that shared it; writes based on it run again after recovery',
  async (t) => {
    const { store, fail, recovered } = fragileKeyValue(memoryKeyValue());
    const storage = await openStore(store, { logger, feedEntries: FEED });
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
        const store: KeyValue = {
          ...memory,
          commit: async (commit) => {
            if (broken) throw new Error('written without recovery');
            const { value } = disk.next();
            await turns(value.turns);
            broken = value.fails;
            if (broken) throw new Error('the disk is full');
            return memory.commit(commit);
          },
          recover: async () => {
            broken = false;
          },
        };
        const heard: string[] = [];
        const committed = async (_: unknown, runs: readonly RunSummary[]) =>
          void heard.push(...runs.map(({ run_id }) => run_id));
        const writer = createWriter(store, { ...NO_FEED, committed });
        const expected: Record<string, number> = { a: 0, b: 0 };
        await Promise.all(
          writes.map(async ({ turns: wait, key, throws }, at) => {
            await turns(wait);
            const write = writer.write(async (tx) => {
              const [text] = await tx.getMany([key]);
              await turns(at % 2);
              tx.put(key, String(Number(text ?? 0) + 1));
              tx.append([{ run_id: key } as RunSummary]);
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
  const storage = await openStore(memoryKeyValue(), {
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
  const { runStore } = await openStore(store, { logger, feedEntries: FEED });
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

t.test('expired values are deleted without being read; values set again stay', async (t) => {
  const store = memoryKeyValue();
  const writer = createWriter(store, NO_FEED);
  let now = Date.now();
  const values = storedValues(store, writer, () => now);
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
  t.same(await store.getMany(['v/k0']), ['0 {"value":"new value"}'], 'as versions up to 0.2.0 wrote it');
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

t.test('a clock that went forward deletes nothing for a day, also across a restart', async (t) => {
  const store = memoryKeyValue();
  const { writer } = await openStore(store, { logger, feedEntries: 10 });
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
