import assert from 'node:assert/strict';
import { summarise } from '../../../src/domain/run.js';
import type { FeedEntry } from '../../../src/ports/status-feed.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const embedded = (seed: string, event_id: string) =>
  makeBatch([makeItem(0, seed, { event_id })], { edge: 'embedded' });

/** What the status feed promises: every change, in order, once, without gaps. */
export const feedCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('a feed begins at 0 and numbers changes without gaps', async ({ runStore, statusFeed }) => {
    const start = await statusFeed.head();
    assert.equal(start.sequence, 0);
    assert.match(start.epoch, /^[\w-]{8,}$/);
    const { outcomes } = await runStore.record(makeBatch([makeItem(1, 'a'), makeItem(2, 'b')]));
    const run_id = outcomes[0]?.run_id ?? '';
    const now = '2026-01-05T09:30:00.000Z';
    await runStore.change({ run_id, version: 1, patch: { state: 'rejected' }, now, history: [] });
    await runStore.record(embedded('a', 'again'));
    const entries = await statusFeed.since(start, 100);
    assert.ok(entries);
    assert.deepEqual(
      entries.map(({ sequence, run }) => [sequence, run.run_id, run.state, run.occurrences]),
      [
        [1, run_id, 'staged_raw', 1],
        [2, outcomes[1]?.run_id, 'staged_raw', 1],
        [3, run_id, 'rejected', 1],
        [4, run_id, 'rejected', 2],
      ],
    );
    const record = await runStore.get(run_id);
    assert.deepEqual(entries[3]?.run, record && summarise(record.run));
    assert.deepEqual(await statusFeed.head(), { epoch: start.epoch, sequence: 4 });
  }),
  onSubject('since returns slices, and null for an unreachable cursor', async ({ runStore, statusFeed }) => {
    for (let n = 0; n < 6; n++) await runStore.record(embedded(`s${n}`, `e${n}`));
    const { epoch } = await statusFeed.head();
    const numbers = async (sequence: number, limit: number) =>
      (await statusFeed.since({ epoch, sequence }, limit))?.map((entry) => entry.sequence) ?? null;
    assert.deepEqual(await numbers(0, 4), [1, 2, 3, 4]);
    assert.deepEqual(await numbers(4, 4), [5, 6]);
    assert.deepEqual(await numbers(6, 4), []);
    assert.equal(await numbers(7, 4), null, 'a number that was never assigned');
    assert.equal(await numbers(-1, 4), null);
    assert.equal(await numbers(Number.NaN, 4), null);
    assert.equal(await statusFeed.since({ epoch: 'another', sequence: 6 }, 4), null);
  }),
  onSubject(
    'the buffer keeps the latest entries; an older cursor gets null',
    async ({ runStore, statusFeed, feedEntries = 10_000 }) => {
      const { epoch } = await statusFeed.head();
      const total = feedEntries + 7;
      for (let from = 0; from < total; from += 500) {
        const items = Array.from({ length: Math.min(500, total - from) }, (_, n) =>
          makeItem(from + n + 1, `s${from + n}`),
        );
        await runStore.record(makeBatch(items));
      }
      assert.equal(await statusFeed.since({ epoch, sequence: 6 }, 1), null);
      const entries = await statusFeed.since({ epoch, sequence: 7 }, feedEntries + 1);
      assert.equal(entries?.length, feedEntries);
      assert.deepEqual([entries?.[0]?.sequence, entries?.at(-1)?.sequence], [8, total]);
    },
  ),
  onSubject('listeners get each entry once, before the write resolves', async ({ runStore, statusFeed }) => {
    const entriesSeen: FeedEntry[] = [];
    const other: number[] = [];
    const stop = statusFeed.watch((entry) => entriesSeen.push(entry));
    const stopOther = statusFeed.watch(({ sequence }) => other.push(sequence));
    const { outcomes } = await runStore.record(embedded('a', 'first'));
    assert.equal(entriesSeen.length, 1, 'received by the time the write resolves');
    const run_id = outcomes[0]?.run_id ?? '';
    const now = '2026-01-05T09:30:00.000Z';
    const many = Array.from({ length: 30 }, (_, n) => runStore.record(embedded(`s${n % 7}`, `e${n}`)));
    const change = { run_id, version: 1, patch: { state: 'analyzing' }, now, history: [] } as const;
    await Promise.all([...many, runStore.change(change)]);
    stopOther();
    await runStore.record(embedded('a', 'last'));
    stop();
    await runStore.record(embedded('a', 'unheard'));
    const expected = Array.from({ length: 33 }, (_, n) => n + 1);
    assert.deepEqual(
      entriesSeen.map(({ sequence }) => sequence),
      expected,
    );
    assert.deepEqual(other, expected.slice(0, 32));
    const { epoch } = await statusFeed.head();
    assert.deepEqual(await statusFeed.since({ epoch, sequence: 0 }, 33), entriesSeen);
  }),
];
