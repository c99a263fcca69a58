import assert from 'node:assert/strict';
import type { Family } from '../../../src/domain/group.js';
import type { Countable } from '../../../src/ports/run-incidents.js';
import type { BatchItem, RunStore } from '../../../src/ports/run-store.js';
import { makeBatch, makeFingerprint, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const QUIET = { quietAfterRejectMs: 3_600_000 };
const OLD = makeFingerprint('version 1').hash;
const NAME = makeFingerprint('at one place').hash;

/** A crash of one family; its own fingerprint is made from its traits. */
function form(
  sequence: number,
  type: string,
  line = '',
  over: { door?: 'sdk'; old?: boolean } = {},
): BatchItem {
  const family: Family = { name: NAME, traits: { fixed: [type], line, build: 'r' } };
  const fingerprint = makeFingerprint(`${type} ${line}`, { version: '2' });
  const aliases = over.old ? [OLD] : [];
  return makeItem(sequence, 'x', over.door ? { door: over.door } : {}, { fingerprint, aliases, family });
}

async function record(runStore: RunStore, items: readonly BatchItem[], now = '2026-01-05T09:00:02.000Z') {
  const { outcomes } = await runStore.record(makeBatch(items, { now, policy: QUIET }));
  return outcomes.map(({ run_id }) => run_id ?? '');
}

async function reject(runStore: RunStore, run_id: string, now: string): Promise<void> {
  const version = (await runStore.get(run_id))?.run.version ?? 0;
  await runStore.change({ run_id, version, patch: { state: 'rejected' }, now, history: [] });
}

const occurrenceOf = ({ occurrence }: BatchItem): Countable => {
  assert.ok(occurrence);
  return occurrence;
};

/** What `record` promises of crashes at the same places. */
export const familyCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('family: a form that lacks a trait joins, another trait starts a run', async ({ runStore }) => {
    const [poor, full, other] = await record(runStore, [form(1, ''), form(2, 'T'), form(3, 'R')]);
    assert.equal(full, poor, 'within one batch');
    assert.notEqual(other, poor);
    assert.deepEqual(await record(runStore, [form(4, 'R'), form(5, ''), form(6, 'T', 'l')]), [
      other,
      poor,
      poor,
    ]);
    assert.notEqual((await record(runStore, [form(7, 'T', 'm')]))[0], poor, 'another line of the same build');
  }),
  onSubject('family: later runs of an incident have its fingerprint, from any form', async ({ runStore }) => {
    const [first = ''] = await record(runStore, [form(1, 'T')]);
    await reject(runStore, first, '2026-01-05T09:10:00.000Z');
    const [next = ''] = await record(runStore, [form(2, '')], '2026-01-05T12:00:00.000Z');
    const [again] = await record(runStore, [form(3, 'T')], '2026-01-05T12:00:01.000Z');
    assert.equal(again, next);
    const [was, is] = [(await runStore.get(first))?.run, (await runStore.get(next))?.run];
    assert.deepEqual([is?.generation, is?.fingerprint.hash], [2, was?.fingerprint.hash]);
    const fingerprint = was?.fingerprint.hash ?? '';
    const { runs } = await runStore.page({ project: 'default', fingerprint, limit: 1 });
    assert.deepEqual(
      runs.map(({ run_id }) => run_id),
      [next],
    );
  }),
  onSubject('family: an untrusted crash teaches a trusted group nothing', async ({ runStore }) => {
    const [trusted, junk] = await record(runStore, [form(1, ''), form(2, 'X', '', { door: 'sdk' })]);
    assert.equal(junk, trusted);
    assert.deepEqual(await record(runStore, [form(3, 'T')]), [trusted]);
    assert.notEqual((await record(runStore, [form(4, 'X', '', { door: 'sdk' })]))[0], trusted);
  }),
  onSubject('family: a run of an older version counts all of them until it is over', async ({ runStore }) => {
    const old = (sequence: number) => makeItem(sequence, 'version 1');
    const of = (sequence: number, type: string) => form(sequence, type, '', { old: true });
    const [first = ''] = await record(runStore, [old(1)]);
    assert.deepEqual(await record(runStore, [of(2, 'T'), of(3, 'R')]), [first, first]);
    await reject(runStore, first, '2026-01-05T09:10:00.000Z');
    assert.deepEqual(await record(runStore, [of(4, 'T')], '2026-01-05T09:30:00.000Z'), [first], 'quiet');
    const later = '2026-01-05T12:00:00.000Z';
    const [type = '', range, again, poor] = await record(
      runStore,
      [of(5, 'T'), of(6, 'R'), of(7, 'T'), of(8, '')],
      later,
    );
    assert.equal(new Set([first, type, range]).size, 3);
    assert.deepEqual([again, poor], [type, type]);
    const run = (await runStore.get(type))?.run;
    assert.deepEqual([run?.generation, run?.fingerprint.version], [2, '2']);
    const [fresh = ''] = await record(runStore, [of(9, 'S')], later);
    assert.equal((await runStore.get(fresh))?.run.generation, 1, 'it was never counted on the old run');
    assert.deepEqual(await record(runStore, [old(10)], later), [type], 'an older core that is still running');
  }),
  onSubject('countedOn tells where a crash would be counted', async ({ runStore }) => {
    const asked = (type: string) => runStore.countedOn(occurrenceOf(form(9, type, '', { old: true })));
    assert.deepEqual(await asked('T'), { hash: makeFingerprint('T ').hash, run: null });
    const [old] = await record(runStore, [makeItem(1, 'version 1')]);
    assert.equal((await asked('T')).run?.run_id, old);
    const [run] = await record(runStore, [form(2, 'R')]);
    const there = await asked('');
    assert.deepEqual([there.hash, there.run?.run_id], [makeFingerprint('R ').hash, run]);
    assert.equal((await asked('T')).run?.run_id, old, 'asking stores nothing');
  }),
];
