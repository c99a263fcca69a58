import assert from 'node:assert/strict';
import { readStatistics } from '../../../src/domain/run-statistics.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-05T09:00:00.000Z');
const timeOf = (n: number) => new Date(START + n * 60_000).toISOString();

/** Records occurrences `from` to `to` of one run, as batches of these sizes in turn. Returns the run's id. */
async function crashes(
  { runStore }: StorageSubject,
  [from, to]: readonly [number, number],
  sizes: readonly number[],
): Promise<string> {
  let runId = '';
  for (let n = from, turn = 0; n <= to; turn++) {
    const size = Math.min(sizes[turn % sizes.length] ?? 1, to - n + 1);
    const items = Array.from({ length: size }, (_, at) => {
      const number = n + at;
      const received_at = timeOf(number);
      const user = { id: `user-${number % 7}`, email: '[redacted:email]' };
      return makeItem(number, 'a', { received_at, user, release: 'v1', tags: { region: `r${number % 3}` } });
    });
    const { outcomes } = await runStore.record(makeBatch(items, { now: timeOf(n + size) }));
    runId = outcomes[0]?.run_id ?? '';
    n += size;
  }
  return runId;
}

/** What `record` stores of each occurrence, as `RunOccurrences` reads it. */
export const occurrenceCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('every occurrence is listed, latest first, in pages', async (storage) => {
    const { runOccurrences } = storage;
    const runId = await crashes(storage, [1, 75], [1, 1, 30, 3, 40]);
    const numbers: number[] = [];
    for (let before: number | undefined; ; ) {
      const page = await runOccurrences.page(runId, {
        limit: 20,
        ...(before === undefined ? {} : { before }),
      });
      numbers.push(...page.occurrences.map(({ number }) => number));
      for (const { number, received_at, user } of page.occurrences)
        assert.deepEqual([received_at, user], [timeOf(number), `user-${number % 7}`]);
      if (page.next === null) break;
      before = page.next;
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: 75 }, (_, at) => 75 - at),
    );
    assert.deepEqual(await runOccurrences.page('run_unknown', { limit: 5 }), {
      occurrences: [],
      events: [],
      next: null,
    });
  }),
  onSubject('statistics count all occurrences; the latest 1,000 stay listed', async (storage) => {
    const { runOccurrences } = storage;
    const runId = await crashes(storage, [1, 1_300], [1, 31, 200, 64, 5, 300]);
    const statistics = readStatistics(await runOccurrences.statistics(runId), START + 24 * HOUR);
    assert.equal(statistics.occurrences, 1_300);
    assert.equal(
      statistics.hours.reduce((sum, { occurrences }) => sum + occurrences, 0),
      1_300,
    );
    assert.deepEqual(statistics.users, { count: 7, more: false });
    assert.deepEqual(
      statistics.releases.map(({ name, first_seen, occurrences }) => [name, first_seen, occurrences]),
      [['v1', timeOf(1), 1_300]],
    );
    const region = statistics.tags.find(({ name }) => name === 'region');
    assert.deepEqual([region?.occurrences, region?.values.length, region?.other], [1_300, 3, 0]);
    const numbers = new Set<number>();
    for (let before: number | null = 1_301; before !== null; ) {
      const page: Awaited<ReturnType<typeof runOccurrences.page>> = await runOccurrences.page(runId, {
        limit: 200,
        before,
      });
      for (const { number } of page.occurrences) numbers.add(number);
      before = page.next;
    }
    for (let number = 301; number <= 1_300; number++) assert.ok(numbers.has(number), `${number} is listed`);
  }),
  onSubject('a run has the number of users that its statistics have, after every write', async (storage) => {
    const { runStore, runOccurrences } = storage;
    const counts = new Set<string>();
    const sizes = [1, 1, 29, 3, 1, 64, 200, 7, 400];
    for (let n = 1, turn = 0; n <= 1_500; turn++) {
      const items = Array.from({ length: sizes[turn % sizes.length] ?? 1 }, (_, at) => {
        const number = n + at;
        const trust = number < 20 || number % 10 === 0 ? 'untrusted' : 'trusted';
        const user = number % 9 === 0 ? null : { id: `user-${number % 5 === 0 ? 0 : number}` };
        return makeItem(number, 'a', { door: trust === 'trusted' ? 'webhook' : 'sdk', trust, user });
      });
      const { outcomes } = await runStore.record(makeBatch(items));
      n += items.length;
      const runId = outcomes[0]?.run_id ?? '';
      const record = await runStore.get(runId);
      const { users } = readStatistics(await runOccurrences.statistics(runId), START);
      assert.deepEqual(record?.run.users, users, `after ${n - 1} crashes`);
      counts.add(JSON.stringify(users));
    }
    assert.ok(counts.has('{"count":1000,"more":true}'), [...counts].join());
  }),
  onSubject(
    'the first event, those of new releases and some of the others stay readable',
    async (storage) => {
      const { runStore, runOccurrences } = storage;
      const release = (n: number) => (n === 7 ? 'v2' : 'v1');
      let runId = '';
      for (let n = 1; n <= 11; n++) {
        const item = makeItem(n, 'a', { received_at: timeOf(n), release: release(n), message: `crash ${n}` });
        runId = (await runStore.record(makeBatch([item], { now: timeOf(n) }))).outcomes[0]?.run_id ?? '';
      }
      const { occurrences, events } = await runOccurrences.page(runId, { limit: 20 });
      const stored = occurrences.filter((one) => one.stored).map(({ number }) => number);
      assert.deepEqual([stored, events], [events, [11, 7, 4, 1]]);
      for (const number of stored) {
        const found = await runOccurrences.event(runId, number);
        assert.deepEqual(
          [found?.entry.number, found?.entry.release, found?.event.message],
          [number, release(number), `crash ${number}`],
        );
      }
      assert.equal(await runOccurrences.event(runId, 3), null);
      assert.equal(await runOccurrences.event(runId, 12), null);
    },
  ),
  onSubject(
    'a repeated batch is listed once; untrusted crashes change no tags of trusted ones',
    async (storage) => {
      const { runStore, runOccurrences } = storage;
      const items = [
        makeItem(1, 'a', { door: 'sdk', trust: 'untrusted', release: 'fake' }),
        makeItem(2, 'a'),
      ];
      const batch = makeBatch([
        ...items,
        makeItem(3, 'a', { door: 'sdk', trust: 'untrusted', release: 'junk' }),
      ]);
      const runId = (await runStore.record(batch)).outcomes[0]?.run_id ?? '';
      await runStore.record(batch);
      const { occurrences } = await runOccurrences.page(runId, { limit: 20 });
      assert.deepEqual(
        occurrences.map(({ number, trust, release }) => [number, trust, release]),
        [
          [3, 'untrusted', 'junk'],
          [2, 'trusted', 'shop@1.0.0'],
          [1, 'untrusted', 'fake'],
        ],
      );
      const statistics = readStatistics(await runOccurrences.statistics(runId), START);
      assert.deepEqual(
        [statistics.occurrences, statistics.releases.map(({ name }) => name)],
        [3, ['shop@1.0.0']],
      );
    },
  ),
];
