import assert from 'node:assert/strict';
import type { Event } from '../../../src/domain/event.js';
import type { SnoozeUntil } from '../../../src/domain/snooze.js';
import { isCulpritError } from '../../../src/errors/error.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const NOW = '2026-01-05T09:30:00.000Z';
const trusted: Partial<Event> = { door: 'webhook', trust: 'trusted', release: 'v1' };
const junk: Partial<Event> = { door: 'sdk', trust: 'untrusted', release: 'v666' };

/** A run of one event, snoozed at Gate 1. */
async function snoozed({ runStore }: StorageSubject, event: Partial<Event>, until: SnoozeUntil) {
  const { outcomes } = await runStore.record(makeBatch([makeItem(1, 'a', event)]));
  const run_id = outcomes[0]?.run_id ?? '';
  const left = until.kind === 'crashes' ? { left: until.more } : {};
  const snooze = { from: 'staged_raw' as const, by: 'alex', at: NOW, until, ...left };
  await runStore.change({ run_id, version: 1, patch: { state: 'snoozed', snooze }, now: NOW, history: [] });
  return run_id;
}

/** What `record` does to snoozed runs. */
export const snoozeCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('the last awaited crash ends a snooze in its own write', async (storage) => {
    const { runStore, runHistory } = storage;
    const run_id = await snoozed(storage, trusted, { kind: 'crashes', more: 3 });
    await runStore.record(makeBatch([makeItem(2, 'a', junk), makeItem(3, 'a', trusted)]));
    const waiting = (await runStore.get(run_id))?.run;
    assert.deepEqual([waiting?.state, waiting?.snooze?.left, waiting?.version], ['snoozed', 2, 2]);
    const items = [4, 5, 6].map((n) => makeItem(n, 'a', trusted));
    const { changed } = await runStore.record(makeBatch(items, { now: NOW }));
    assert.deepEqual(changed, [run_id], 'its notifications must be updated');
    const run = (await runStore.get(run_id))?.run;
    assert.deepEqual([run?.state, run?.snooze, run?.version, run?.occurrences], ['staged_raw', null, 3, 6]);
    assert.deepEqual(run?.woken, { at: NOW, why: 'crashes', crashes: 3 });
    const woke = (await runHistory.history(run_id)).filter(({ name }) => name === 'gate1.wake');
    assert.deepEqual(
      woke.map(({ kind, by, from, to, detail }) => [kind, by, from, to, detail]),
      [['step', null, 'snoozed', 'staged_raw', { why: 'crashes', crashes: 3 }]],
    );
    const lists = await Promise.all(
      (['snoozed', 'staged_raw'] as const).map((state) => runStore.page({ states: [state], limit: 5 })),
    );
    assert.deepEqual(
      lists.map(({ runs }) => runs.length),
      [0, 1],
    );
  }),
  onSubject('a new release ends a snooze; one with a public key does not', async (storage) => {
    const { runStore } = storage;
    const run_id = await snoozed(storage, trusted, { kind: 'release' });
    await runStore.record(
      makeBatch([
        makeItem(2, 'a', trusted),
        makeItem(3, 'a', junk),
        makeItem(4, 'a', { ...trusted, release: null }),
      ]),
    );
    assert.equal((await runStore.get(run_id))?.run.state, 'snoozed');
    await runStore.record(makeBatch([makeItem(5, 'a', { ...trusted, release: 'v2' })], { now: NOW }));
    const run = (await runStore.get(run_id))?.run;
    assert.deepEqual([run?.state, run?.woken], ['staged_raw', { at: NOW, why: 'release', release: 'v2' }]);
  }),
  onSubject('the first trusted crash ends any snooze', async (storage) => {
    const { runStore } = storage;
    const run_id = await snoozed(storage, junk, { kind: 'time', at: '2026-02-01T00:00:00.000Z' });
    await runStore.record(makeBatch([makeItem(2, 'a', junk)]));
    assert.equal((await runStore.get(run_id))?.run.state, 'snoozed');
    await runStore.record(makeBatch([makeItem(3, 'a', trusted)], { now: NOW }));
    assert.deepEqual((await runStore.get(run_id))?.run.woken, { at: NOW, why: 'trusted_crash' });
  }),
  onSubject('a reviewer and a crash that end a snooze at once end it once', async (storage) => {
    const { runStore, runHistory } = storage;
    const run_id = await snoozed(storage, trusted, { kind: 'crashes', more: 1 });
    const entry = { kind: 'decision' as const, name: 'gate1.wake', by: 'alex', via: 'api' as const };
    const rest = { at: NOW, from: null, to: null, digest: null, ms: null, error: null, detail: {} };
    const change = { run_id, version: 2, patch: { state: 'staged_raw' as const, snooze: null }, now: NOW };
    const [changed] = await Promise.allSettled([
      runStore.change({ ...change, history: [{ ...entry, ...rest }] }),
      runStore.record(makeBatch([makeItem(2, 'a', trusted)])),
    ]);
    if (changed.status === 'rejected') assert.ok(isCulpritError(changed.reason, 'version_conflict'));
    const names = (await runHistory.history(run_id)).map(({ name }) => name);
    assert.deepEqual(names, ['staged', 'gate1.wake']);
    assert.deepEqual((await runStore.get(run_id))?.run.version, 3);
  }),
];
