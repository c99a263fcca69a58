import assert from 'node:assert/strict';
import type { Event } from '../../../src/domain/event.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const HOUR = 3_600_000;
const trusted: Partial<Event> = { door: 'webhook', trust: 'trusted', release: 'v1' };
const junk: Partial<Event> = {
  ...{ door: 'sdk', trust: 'untrusted', release: 'v666', level: 'fatal', message: 'junk' },
  timestamp: '2025-01-01T00:00:00.000Z',
};
const at = (time: string) => ({
  now: `2026-01-05T${time}.000Z`,
  policy: { quietAfterRejectMs: HOUR },
});

/** The rules of `record` for events with a public key. */
export const trustCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('an untrusted event is counted and changes no data from a trusted one', async ({ runStore }) => {
    const first = await runStore.record(makeBatch([makeItem(1, 'a', trusted)], at('09:00:02')));
    const run_id = first.outcomes[0]?.run_id ?? '';
    assert.deepEqual(first.changed, [run_id]);
    const before = (await runStore.get(run_id))?.run;
    assert.ok(before);
    const items = [makeItem(2, 'a', junk), makeItem(3, 'a', { ...junk, event_id: 'j3' })];
    const flood = await runStore.record(makeBatch(items, at('09:00:03')));
    assert.deepEqual(flood.changed, [run_id], 'its notifications must be updated');
    const after = (await runStore.get(run_id))?.run;
    assert.ok(after);
    const { occurrences, doors, sources, updated_at, ...said } = after;
    const { occurrences: o, doors: d, sources: s, updated_at: u, ...saidBefore } = before;
    assert.deepEqual(said, saidBefore);
    assert.deepEqual([occurrences, doors], [3, ['webhook', 'sdk']]);
    assert.deepEqual(
      sources?.map(({ door, trust, occurrences: count, event_id }) => [door, trust, count, event_id]),
      [
        ['webhook', 'trusted', 1, before.event.event_id],
        ['sdk', 'untrusted', 2, 'j3'],
      ],
    );
    const more = await runStore.record(makeBatch([makeItem(4, 'a', junk)], at('09:00:04')));
    assert.deepEqual(more.changed ?? [], []);
    assert.deepEqual((await runStore.page({ limit: 1 })).runs[0]?.sources?.length, 2, 'lists show it, too');
  }),
  onSubject('the first trusted event replaces data from untrusted ones', async ({ runStore }) => {
    const title = { title: 'junk' };
    const first = await runStore.record(makeBatch([makeItem(1, 'a', junk, title)], at('09:00:02')));
    const run_id = first.outcomes[0]?.run_id ?? '';
    const real = {
      ...trusted,
      received_at: '2026-01-05T09:30:00.000Z',
      timestamp: '2026-01-05T09:29:00.000Z',
    };
    const batch = makeBatch([makeItem(2, 'a', real), makeItem(3, 'a', junk)], at('09:31:00'));
    assert.deepEqual((await runStore.record(batch)).changed, [run_id]);
    const run = (await runStore.get(run_id))?.run;
    assert.deepEqual(
      [run?.title, run?.level, run?.releases, run?.event.release, run?.occurrences],
      ['TypeError in a', 'error', ['v1'], 'v1', 3],
    );
    assert.deepEqual(
      [run?.first_seen, run?.last_seen, run?.first_crash_at],
      ['2026-01-05T09:30:00.000Z', '2026-01-05T09:30:00.000Z', '2026-01-05T09:29:00.000Z'],
    );
  }),
  onSubject('junk that was rejected does not keep a trusted event quiet', async ({ runStore }) => {
    const first = await runStore.record(makeBatch([makeItem(1, 'a', junk)], at('09:00:02')));
    const run_id = first.outcomes[0]?.run_id ?? '';
    const reject = (runId: string) =>
      runStore.change({
        ...{ run_id: runId, version: 1, now: at('09:10:00').now, history: [] },
        patch: { state: 'rejected' },
      });
    await reject(run_id);
    const quiet = await runStore.record(makeBatch([makeItem(2, 'a', junk)], at('09:20:00')));
    assert.equal(quiet.outcomes[0]?.run_id, run_id);
    const real = await runStore.record(makeBatch([makeItem(3, 'a', trusted)], at('09:30:00')));
    const next = real.outcomes[0]?.run_id ?? '';
    assert.notEqual(next, run_id, 'a new run at once');
    assert.equal((await runStore.get(next))?.run.state, 'staged_raw');
    await reject(next);
    const both = [makeItem(4, 'a', junk), makeItem(5, 'a', trusted)];
    const after = await runStore.record(makeBatch(both, at('09:40:00')));
    assert.deepEqual(
      after.outcomes.map((outcome) => outcome.run_id),
      [next, next],
      'a rejected trusted run is quiet for both',
    );
  }),
  onSubject(
    'an untrusted event id does not hide a trusted event; the reverse is a duplicate',
    async ({ runStore }) => {
      const id = { event_id: 'known-in-advance' };
      const batch = makeBatch([makeItem(1, 'b', { ...junk, ...id })]);
      const guess = await runStore.record(batch);
      const real = await runStore.record(makeBatch([makeItem(2, 'a', { ...trusted, ...id })]));
      const late = await runStore.record(
        makeBatch([makeItem(3, 'a', { ...trusted, ...id }), makeItem(4, 'a', { ...junk, ...id })]),
      );
      const again = await runStore.record(batch);
      assert.deepEqual(
        [guess, real, late, again].map(({ outcomes }) => outcomes.map(({ outcome }) => outcome)),
        [['accepted'], ['accepted'], ['duplicate', 'duplicate'], ['accepted']],
      );
      assert.equal((await runStore.get(real.outcomes[0]?.run_id ?? ''))?.run.occurrences, 1);
    },
  ),
];
