import assert from 'node:assert/strict';
import type { Event } from '../../../src/domain/event.js';
import type { NewHistoryEntry } from '../../../src/domain/history.js';
import { joinRuns, partRuns } from '../../../src/domain/member.js';
import type { RunState } from '../../../src/domain/run.js';
import { isCulpritError } from '../../../src/errors/error.js';
import type { PairChange } from '../../../src/ports/run-pairs.js';
import type { RecordBatch, RunStore } from '../../../src/ports/run-store.js';
import { makeBatch, makeFingerprint, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const HOUR = 3_600_000;
const NOW = '2026-01-05T09:30:00.000Z';
const junk: Partial<Event> = { door: 'sdk', trust: 'untrusted' };
const entry = (name: string): NewHistoryEntry => ({
  ...{ at: NOW, kind: 'decision', name, by: 'alex', via: 'api', from: null, to: null },
  ...{ digest: null, ms: null, error: null, detail: {} },
});

/** As the engine merges: the first run into the second. */
const merge = (run_id: string, into: string): PairChange => ({
  ...{ run_id, into, now: NOW },
  decide: ({ run, into: other }) => {
    assert.ok(other);
    const pair = joinRuns({ run: run.run, into: other.run });
    return {
      run: { run: { ...pair.run, state: 'merged' }, history: [entry('gate1.merge')] },
      into: { run: pair.into, history: [entry('merge')] },
    };
  },
});
const split = (run_id: string): PairChange => ({
  ...{ run_id, into: null, now: NOW },
  decide: ({ run, into: other }) => {
    const pair = other && partRuns({ run: run.run, into: other.run });
    return {
      run: { run: { ...(pair?.run ?? run.run), state: 'staged_raw' }, history: [entry('gate1.split')] },
      into: pair && { run: pair.into, history: [entry('split')] },
    };
  },
});

let sequence = 0;
/** Counts one crash of each seed, and returns their runs. */
async function crash(
  runStore: RunStore,
  seeds: readonly string[],
  event: Partial<Event> = {},
  over: Partial<RecordBatch> = {},
): Promise<readonly string[]> {
  const items = seeds.map((seed) => makeItem(++sequence, seed, event));
  const { outcomes } = await runStore.record(makeBatch(items, { now: NOW, ...over }));
  return outcomes.map(({ run_id }) => run_id ?? '');
}
async function runOf(runStore: RunStore, runId: string) {
  const record = await runStore.get(runId);
  assert.ok(record, runId);
  return record.run;
}
async function close(runStore: RunStore, runId: string, state: RunState): Promise<void> {
  const { version } = await runOf(runStore, runId);
  await runStore.change({ run_id: runId, version, patch: { state }, now: NOW, history: [] });
}

/** What `changePair` and the counting of merged runs promise. */
export const mergeCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('a merged run’s crashes count on the other one, and are its own again after a split', merging),
  onSubject('merges of merged runs, and the next run of either fingerprint', chains),
  onSubject('a refused or failed pair changes neither run', refusals),
  onSubject('crashes that arrive during merges and splits are counted once', concurrent),
  onSubject('a merge of untrusted crashes does not hold for the first trusted one', trusts),
];

async function merging({ runStore, runHistory, runOccurrences, statusFeed }: StorageSubject): Promise<void> {
  const [a = '', b = ''] = await crash(runStore, ['a', 'b'], { release: '1.0.0' });
  await crash(runStore, ['a', 'b', 'b'], { release: '1.1.0', environment: 'staging' });
  const before = { a: await runOf(runStore, a), b: await runOf(runStore, b) };
  const cursor = await statusFeed.head();
  const changed = await runStore.changePair(merge(a, b));
  assert.deepEqual([changed.run, changed.into], [await runStore.get(a), await runStore.get(b)]);
  const now = { a: changed.run.run, b: changed.into?.run };
  assert.deepEqual([now.a.state, now.a.merged_into, now.a.occurrences, now.a.version], ['merged', b, 2, 2]);
  assert.deepEqual([now.b?.state, now.b?.occurrences, now.b?.version], ['staged_raw', 5, 2]);
  assert.deepEqual(now.b?.event, before.b.event, 'it shows its own event');
  assert.deepEqual(
    (await statusFeed.since(cursor, 9))?.map(({ run }) => [run.run_id, run.occurrences]),
    [
      [a, 2],
      [b, 5],
    ],
  );
  const names = async (runId: string) => (await runHistory.history(runId)).map(({ name }) => name);
  assert.deepEqual(await names(a), ['staged', 'gate1.merge']);
  assert.deepEqual(await names(b), ['staged', 'merge']);

  assert.deepEqual(await crash(runStore, ['a', 'b', 'a'], { release: '1.2.0' }), [b, b, b]);
  const counted = await runOf(runStore, b);
  assert.deepEqual([counted.occurrences, counted.releases.at(-1)], [8, '1.2.0']);
  assert.deepEqual(
    counted.members?.map(({ run_id, occurrences, into }) => [run_id, occurrences, into]),
    [
      [b, 4, null],
      [a, 4, b],
    ],
  );
  assert.equal((await runOf(runStore, a)).occurrences, 2, 'the merged run stays as it was');
  const hash = makeFingerprint('a').hash;
  const { runs } = await runStore.page({ project: 'default', fingerprint: hash, limit: 1 });
  assert.deepEqual(
    runs.map(({ run_id }) => run_id),
    [b],
  );
  const listed = await runStore.page({ states: ['merged'], limit: 9 });
  assert.deepEqual(
    listed.runs.map(({ run_id }) => run_id),
    [a],
  );

  await runStore.changePair(split(a));
  const after = { a: await runOf(runStore, a), b: await runOf(runStore, b) };
  assert.deepEqual(
    [after.a.state, after.a.merged_into ?? null, after.a.occurrences],
    ['staged_raw', null, 4],
  );
  assert.deepEqual([after.b.occurrences, after.b.members ?? null], [4, null]);
  assert.deepEqual(
    after.a.sources?.map(({ occurrences }) => occurrences),
    [4],
  );
  assert.deepEqual(after.b.environments, ['staging', 'production'], 'the latest last');
  assert.deepEqual(await crash(runStore, ['a', 'b']), [a, b]);
  assert.deepEqual(await names(a), ['staged', 'gate1.merge', 'gate1.split']);
  const numbers = async (runId: string) =>
    (await runOccurrences.page(runId, { limit: 50 })).occurrences.map(({ number }) => number);
  assert.deepEqual(await numbers(a), [3, 2, 1], 'the log has what was counted on the run itself');
  assert.deepEqual(await numbers(b), [7, 6, 5, 4, 3, 2, 1]);
}

async function chains({ runStore }: StorageSubject): Promise<void> {
  const [a = '', b = '', c = ''] = await crash(runStore, ['a', 'b', 'c']);
  await runStore.changePair(merge(a, b));
  await runStore.changePair(merge(b, c));
  assert.deepEqual(await crash(runStore, ['a', 'b', 'c']), [c, c, c]);
  assert.equal((await runOf(runStore, c)).occurrences, 6);
  await runStore.changePair(split(b));
  assert.deepEqual(
    [(await runOf(runStore, b)).occurrences, (await runOf(runStore, c)).occurrences],
    [4, 2],
    'a split takes along what was merged before',
  );
  assert.deepEqual(await crash(runStore, ['a', 'b', 'c']), [b, b, c]);

  await close(runStore, b, 'published');
  const policy = { quietAfterRejectMs: HOUR, closedIssues: [b] };
  const [back = ''] = await crash(runStore, ['a'], {}, { policy });
  const regression = await runOf(runStore, back);
  assert.deepEqual([regression.regression_of, regression.generation], [b, 2]);
  assert.deepEqual(await crash(runStore, ['a', 'b'], {}, { policy }), [back, back], 'one run for both');
  assert.deepEqual(regression.fingerprint.hash, makeFingerprint('b').hash);
  await runStore.changePair(merge(back, c));
  assert.deepEqual(await crash(runStore, ['a', 'b', 'c'], {}, { policy }), [c, c, c]);
  await close(runStore, c, 'rejected');
  const late = { policy, now: '2026-01-05T12:00:00.000Z' };
  const [next = ''] = await crash(runStore, ['b'], {}, late);
  assert.ok(![a, b, c, back].includes(next));
  assert.deepEqual(await crash(runStore, ['a', 'b', 'c'], {}, late), [next, next, next]);
}

async function refusals({ runStore, runHistory }: StorageSubject): Promise<void> {
  const [a = '', b = ''] = await crash(runStore, ['a', 'b']);
  const refusing: PairChange = {
    ...merge(a, b),
    decide: () => {
      throw new TypeError('refused');
    },
  };
  await assert.rejects(runStore.changePair(refusing), /refused/);
  await assert.rejects(runStore.changePair(merge('run_unknown', b)), (error) =>
    isCulpritError(error, 'run_not_found'),
  );
  const found: unknown[] = [];
  const only: PairChange = {
    ...merge(a, 'run_unknown'),
    decide: (pair) => {
      found.push(pair.into, pair.ways.run);
      return { run: { run: pair.run.run, history: [] }, into: null };
    },
  };
  await runStore.changePair(only);
  assert.deepEqual(found.slice(0, 2), [null, [a]]);
  assert.deepEqual([(await runOf(runStore, a)).state, (await runOf(runStore, b)).version], ['staged_raw', 1]);
  assert.equal((await runHistory.history(b)).length, 1);
}

async function concurrent({ runStore }: StorageSubject): Promise<void> {
  const [a = '', b = ''] = await crash(runStore, ['a', 'b']);
  const rounds = Array.from({ length: 4 }, (_, n) => n);
  const counting = rounds.flatMap(() => [crash(runStore, ['a', 'b']), crash(runStore, ['b', 'a', 'a'])]);
  const moving = (async () => {
    for (const _ of rounds) {
      await runStore.changePair(merge(a, b));
      await runStore.changePair(split(a));
    }
    await runStore.changePair(merge(a, b));
  })();
  await Promise.all([moving, ...counting]);
  const run = await runOf(runStore, b);
  assert.equal(run.occurrences, 2 + 4 * 5);
  assert.deepEqual(
    run.members?.map(({ occurrences }) => occurrences),
    [1 + 4 * 2, 1 + 4 * 3],
  );
  assert.equal(run.sources?.[0]?.occurrences, 22);
}

async function trusts({ runStore }: StorageSubject): Promise<void> {
  const [a = ''] = await crash(runStore, ['a'], { ...junk, release: 'v666' });
  const [b = ''] = await crash(runStore, ['b'], { door: 'webhook', trust: 'trusted', release: 'v1' });
  const before = await runOf(runStore, b);
  await runStore.changePair(merge(a, b));
  assert.deepEqual(await crash(runStore, ['a'], { ...junk, release: 'v667' }), [b]);
  const run = await runOf(runStore, b);
  const said = ({ first_seen, last_seen, releases, title, event }: typeof run) => [
    ...[first_seen, last_seen, releases, title, event],
  ];
  assert.deepEqual(said(run), said(before), 'untrusted crashes are counted and change nothing else');
  assert.deepEqual(
    run.sources?.map(({ door, trust, occurrences }) => [door, trust, occurrences]),
    [
      ['webhook', 'trusted', 1],
      ['sdk', 'untrusted', 2],
    ],
  );
  const [real = ''] = await crash(runStore, ['a'], { door: 'webhook', trust: 'trusted' });
  assert.ok(real !== a && real !== b, 'the trusted crash starts a run of its own');
  assert.equal((await runOf(runStore, real)).generation, 2);
  assert.deepEqual(await crash(runStore, ['a', 'b'], junk), [real, b]);
}
