import assert from 'node:assert/strict';
import { isCulpritError } from '../../../src/errors/error.js';
import type { BatchItem, RecordResult } from '../../../src/ports/run-store.js';
import { makeBatch, makeFingerprint, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const HOUR = 3_600_000;
/** What every repetition returns. */
const answerOf = ({ outcomes, watermark }: RecordResult) => ({ outcomes, watermark });
const refused = (sequence: number): BatchItem => ({
  sequence,
  event_id: `bad-${sequence}`,
  occurrence: null,
  refusal: { outcome: 'invalid', detail: `item ${sequence} has no stack` },
});

/** What `record` promises: once, atomically, and with the same outcomes on every repetition. */
export const recordCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('record starts a run for a new fingerprint and counts the next event', async ({ runStore }) => {
    const first = await runStore.record(makeBatch([makeItem(1, 'a', { release: 'v1' })]));
    const second = await runStore.record(
      makeBatch([makeItem(2, 'a', { release: 'v2', received_at: '2026-01-05T10:00:00.500Z' })], {
        now: '2026-01-05T10:00:01.000Z',
      }),
    );
    assert.equal(first.outcomes[0]?.outcome, 'accepted');
    assert.equal(second.outcomes[0]?.run_id, first.outcomes[0]?.run_id);
    assert.deepEqual([first.watermark, second.watermark], [1, 2]);
    const record = await runStore.get(first.outcomes[0]?.run_id ?? '');
    assert.ok(record);
    assert.equal(record.run.occurrences, 2);
    assert.equal(record.run.state, 'staged_raw');
    assert.equal(record.run.version, 1, 'counting does not raise the version');
    assert.equal(record.run.first_seen, '2026-01-05T09:00:01.000Z', 'times are those of receipt');
    assert.equal(record.run.last_seen, '2026-01-05T10:00:00.500Z');
    assert.equal(record.run.first_crash_at, '2026-01-05T09:00:00.000Z');
    assert.deepEqual(record.run.releases, ['v1', 'v2']);
    assert.equal(record.run.event.release, 'v2', 'the run carries its latest event');
    assert.equal(record.run.updated_at, '2026-01-05T10:00:01.000Z');
    assert.deepEqual([record.intent, record.lease], [null, null]);
  }),
  onSubject('record separates fingerprints and projects within one batch', async ({ runStore }) => {
    const items = [
      makeItem(1, 'a'),
      makeItem(2, 'b'),
      makeItem(3, 'a'),
      makeItem(4, 'a', { project: 'other' }),
      makeItem(5, 'a'),
    ];
    const { outcomes, watermark } = await runStore.record(makeBatch(items));
    const ids = outcomes.map(({ run_id }) => run_id);
    assert.equal(watermark, 5);
    assert.deepEqual(ids, [ids[0], ids[1], ids[0], ids[3], ids[0]]);
    assert.equal(new Set(ids).size, 3);
    assert.equal((await runStore.get(ids[0] ?? ''))?.run.occurrences, 3);
    assert.equal((await runStore.get(ids[3] ?? ''))?.run.project, 'other');
  }),
  onSubject('a known event id is a duplicate in its project, from any edge', async ({ runStore }) => {
    const again = (sequence: number, project = 'default') =>
      makeItem(sequence, 'a', { event_id: 'e:1', project });
    const first = await runStore.record(makeBatch([again(1), again(2), again(3, 'other')]));
    const later = await runStore.record(makeBatch([again(4)]));
    const elsewhere = await runStore.record(makeBatch([again(1)], { edge: 'edge-2' }));
    assert.deepEqual(
      [...first.outcomes, ...later.outcomes, ...elsewhere.outcomes].map(({ outcome }) => outcome),
      ['accepted', 'duplicate', 'accepted', 'duplicate', 'duplicate'],
    );
    const runId = first.outcomes[0]?.run_id ?? '';
    assert.equal(later.outcomes[0]?.run_id, runId, 'a duplicate names the run of the first');
    assert.equal((await runStore.get(runId))?.run.occurrences, 1);
    assert.equal(elsewhere.watermark, 1, 'a duplicate moves the watermark');
  }),
  onSubject('a repeated batch: same outcomes, no changes', async ({ runStore, statusFeed, runHistory }) => {
    const items = [makeItem(1, 'a'), refused(2), makeItem(3, 'a', { event_id: 'x' })];
    const batch = makeBatch([...items, makeItem(4, 'a', { event_id: 'x' })]);
    const first = await runStore.record(batch);
    const head = await statusFeed.head();
    const runId = first.outcomes[0]?.run_id ?? '';
    assert.deepEqual(
      first.outcomes.map(({ outcome }) => outcome),
      ['accepted', 'invalid', 'accepted', 'duplicate'],
    );
    assert.deepEqual(answerOf(await runStore.record(batch)), answerOf(first));
    const overlapping = await runStore.record(makeBatch([...items.slice(1), makeItem(5, 'a')]));
    assert.deepEqual(overlapping.outcomes.slice(0, 2), first.outcomes.slice(1, 3));
    assert.equal(overlapping.watermark, 5);
    assert.equal((await runStore.get(runId))?.run.occurrences, 3);
    assert.equal((await runHistory.history(runId)).length, 1);
    assert.equal((await statusFeed.head()).sequence, head.sequence + 1);
  }),
  onSubject('a repeated refusal is returned from the store', async ({ runStore }) => {
    const first = await runStore.record(makeBatch([refused(7)]));
    const healed = await runStore.record(makeBatch([makeItem(7, 'a', { event_id: 'bad-7' })]));
    assert.deepEqual(healed, first);
    assert.equal(first.outcomes[0]?.detail, 'item 7 has no stack');
    assert.deepEqual((await runStore.page({ limit: 1 })).runs, []);
  }),
  onSubject('the embedded edge: sequence 0 is never below a watermark', async ({ runStore }) => {
    const item = (event_id: string) => makeItem(0, 'a', { event_id });
    const results = [];
    for (const id of ['a', 'b', 'a']) {
      results.push(await runStore.record(makeBatch([item(id)], { edge: 'embedded' })));
    }
    assert.deepEqual(
      results.map(({ outcomes, watermark }) => [outcomes[0]?.outcome, watermark]),
      [
        ['accepted', 0],
        ['accepted', 0],
        ['duplicate', 0],
      ],
    );
  }),
  onSubject('every edge has its own watermark; an empty batch returns it', async ({ runStore }) => {
    await runStore.record(makeBatch([makeItem(9, 'a')]));
    const other = await runStore.record(makeBatch([makeItem(3, 'a')], { edge: 'edge-2' }));
    assert.deepEqual([other.outcomes[0]?.outcome, other.watermark], ['accepted', 3]);
    assert.deepEqual(await runStore.record(makeBatch([])), { outcomes: [], watermark: 9 });
    const none = await runStore.record(makeBatch([], { edge: 'edge-3' }));
    assert.equal(none.watermark, 0);
  }),
  onSubject('a batch after an unknown watermark is not recorded', async ({ runStore }) => {
    await runStore.record(makeBatch([makeItem(1, 'a')], { after: 0 }));
    const ahead = await runStore.record(makeBatch([makeItem(4, 'a')], { after: 3 }));
    assert.deepEqual(ahead, { outcomes: [], watermark: 1 });
    const again = await runStore.record(
      makeBatch(
        [2, 3, 4].map((n) => makeItem(n, 'a')),
        { after: 1 },
      ),
    );
    assert.deepEqual([again.outcomes.length, again.watermark], [3, 4]);
    const behind = await runStore.record(makeBatch([makeItem(5, 'a')], { after: 2 }));
    assert.equal(behind.watermark, 5, 'a lost response does not block the edge');
  }),
  onSubject('aliases: both versions of a fingerprint belong to one run', async ({ runStore }) => {
    const old = makeFingerprint('old').hash;
    const a = await runStore.record(makeBatch([makeItem(1, 'old')]));
    const fingerprint = makeFingerprint('new', { version: '2' });
    const newer = makeItem(2, 'new', {}, { aliases: [old], fingerprint });
    const b = await runStore.record(makeBatch([newer]));
    const c = await runStore.record(makeBatch([makeItem(3, 'new'), makeItem(4, 'old')]));
    const runId = a.outcomes[0]?.run_id;
    const ids = [...b.outcomes, ...c.outcomes].map(({ run_id }) => run_id);
    assert.deepEqual(ids, [runId, runId, runId]);
    const record = await runStore.get(runId ?? '');
    assert.equal(record?.run.occurrences, 4);
    assert.equal(record?.run.fingerprint.hash, old, 'the run keeps its original fingerprint');
  }),
  onSubject('after a rejection the fingerprint is quiet, then starts a new run', async ({ runStore }) => {
    const policy = { quietAfterRejectMs: HOUR };
    const alias = { aliases: [makeFingerprint('a1').hash] };
    const at = (time: string) => ({ now: `2026-01-05T${time}.000Z`, policy });
    const first = await runStore.record(makeBatch([makeItem(1, 'a', {}, alias)], at('09:00:00')));
    const run_id = first.outcomes[0]?.run_id ?? '';
    const patch = { state: 'rejected' } as const;
    await runStore.change({ run_id, version: 1, patch, now: at('09:10:00').now, history: [] });
    await runStore.record(makeBatch([makeItem(2, 'a', {}, alias)], at('10:00:00')));
    const quiet = await runStore.get(run_id);
    assert.deepEqual([quiet?.run.occurrences, quiet?.run.updated_at], [2, at('09:10:00').now]);
    const next = await runStore.record(makeBatch([makeItem(3, 'a', {}, alias)], at('10:10:00')));
    const nextId = next.outcomes[0]?.run_id ?? '';
    assert.notEqual(nextId, run_id);
    const run = (await runStore.get(nextId))?.run;
    assert.deepEqual([run?.generation, run?.occurrences, run?.state], [2, 1, 'staged_raw']);
    const viaAlias = await runStore.record(makeBatch([makeItem(4, 'a1')], at('10:11:00')));
    assert.equal(viaAlias.outcomes[0]?.run_id, nextId, 'the older hash also finds the new run');
  }),
  onSubject(
    'a crash of a revision without the fix is counted on the run whose issue is closed',
    async (subject) => {
      const { runStore } = subject;
      const policy = { quietAfterRejectMs: HOUR };
      const first = await runStore.record(makeBatch([makeItem(1, 'a')]));
      const run_id = first.outcomes[0]?.run_id ?? '';
      const fix = { commit: 'f'.repeat(40), pull_request: null, missing_in: [], occurrences: 0 };
      const patch = { state: 'published', fix } as const;
      await runStore.change({ run_id, version: 1, patch, now: '2026-01-05T09:10:00.000Z', history: [] });
      const before = (sequence: number, of: string) => {
        const item = makeItem(sequence, 'a');
        return { ...item, occurrence: item.occurrence && { ...item.occurrence, before_fix_of: of } };
      };
      const closed = { policy: { ...policy, closedIssues: [run_id] } };
      const { outcomes } = await runStore.record(
        makeBatch([before(2, run_id), before(3, run_id), before(4, 'run_other')], closed),
      );
      assert.deepEqual(
        outcomes.map(({ run_id: id }) => id === run_id),
        [true, true, false],
      );
      const run = (await runStore.get(run_id))?.run;
      assert.deepEqual([run?.occurrences, run?.fix?.occurrences, run?.fix?.commit], [3, 2, fix.commit]);
      assert.equal((await runStore.get(outcomes[2]?.run_id ?? ''))?.run.regression_of, run_id);
    },
  ),
  onSubject('after a publication: counted; once closed, a regression', async ({ runStore, runHistory }) => {
    const policy = { quietAfterRejectMs: HOUR };
    const first = await runStore.record(makeBatch([makeItem(1, 'a'), makeItem(2, 'b')]));
    const [run_id = '', other = ''] = first.outcomes.map(({ run_id: id }) => id ?? '');
    const patch = { state: 'published' } as const;
    await runStore.change({ run_id, version: 1, patch, now: '2026-01-05T09:10:00.000Z', history: [] });
    const open = await runStore.record(makeBatch([makeItem(3, 'a')], { policy }));
    assert.equal(open.outcomes[0]?.run_id, run_id);
    const closed = { ...policy, closedIssues: [run_id, other, 'run_unknown'] };
    const items = [makeItem(4, 'a'), makeItem(5, 'a'), makeItem(6, 'b')];
    const back = await runStore.record(makeBatch(items, { policy: closed }));
    const [next = '', same, untouched] = back.outcomes.map(({ run_id: id }) => id ?? '');
    assert.notEqual(next, run_id);
    assert.equal(same, next, 'the second crash of the batch is counted on the new run');
    assert.equal(untouched, other, 'a run that is not published is counted, whatever the state of its issue');
    const run = (await runStore.get(next))?.run;
    assert.deepEqual(
      [run?.state, run?.generation, run?.occurrences, run?.regression_of],
      ['staged_raw', 2, 2, run_id],
    );
    assert.equal((await runStore.get(run_id))?.run.occurrences, 2, 'no event is counted twice');
    const [staged] = await runHistory.history(next);
    assert.equal(staged?.detail.regression_of, run_id);
    const published = (await runStore.get(run_id))?.run;
    assert.deepEqual([published?.came_back_as, published?.version], [next, 3], 'the earlier run names it');
    const named = (await runHistory.history(run_id)).at(-1);
    assert.deepEqual([named?.name, named?.detail], ['came_back', { run_id: next }]);
    assert.deepEqual(new Set(back.changed), new Set([next, run_id]), 'both have something to tell');
    const listed = await runStore.page({ states: ['published'], limit: 10 });
    assert.equal(listed.runs.find((one) => one.run_id === run_id)?.came_back_as, next, 'lists show it');
    assert.equal(published?.updated_at, '2026-01-05T09:10:00.000Z', 'its place in the lists stays');
    const later = await runStore.record(makeBatch([makeItem(7, 'a')], { policy: closed }));
    assert.equal(later.outcomes[0]?.run_id, next, 'the closed issue starts one run, not many');
    const again = await runStore.record(makeBatch(items, { policy: closed }));
    assert.deepEqual(again.outcomes, back.outcomes, 'a repeated batch has the same outcomes');
  }),
  onSubject('record by many callers at once counts every event once', async ({ runStore }) => {
    const batches = Array.from({ length: 60 }, (_, n) =>
      makeBatch([makeItem(0, 'a', { event_id: `n${n}` }), makeItem(0, 'a', { event_id: `m${n % 20}` })], {
        edge: 'embedded',
      }),
    );
    const results = await Promise.all(batches.map((batch) => runStore.record(batch)));
    const ids = new Set(results.flatMap(({ outcomes }) => outcomes.map(({ run_id }) => run_id)));
    assert.equal(ids.size, 1);
    const record = await runStore.get([...ids][0] ?? '');
    assert.equal(record?.run.occurrences, 80);
  }),
  onSubject('a batch that cannot be stored is rejected as a whole', async ({ runStore }) => {
    const broken: BatchItem = { sequence: 2, event_id: 'x', occurrence: null, refusal: null };
    await assert.rejects(runStore.record(makeBatch([makeItem(1, 'a'), broken])), (error: unknown) =>
      isCulpritError(error, 'internal'),
    );
    assert.deepEqual(await runStore.record(makeBatch([])), { outcomes: [], watermark: 0 });
    assert.deepEqual((await runStore.page({ limit: 1 })).runs, []);
  }),
];
