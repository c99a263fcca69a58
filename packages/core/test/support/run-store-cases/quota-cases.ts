import assert from 'node:assert/strict';
import type { Quotas, QuotaUsage } from '../../../src/domain/quota.js';
import type { RecordBatch } from '../../../src/ports/run-store.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const MANY = { new_runs: 1_000, open_runs: 1_000, bytes: 1e9 };
const quotasOf = (own: Partial<Quotas>): Quotas => ({ key: MANY, door: MANY, project: MANY, ...own });
const BLOCK = 16_384;

type Sender = Partial<Pick<RecordBatch, 'now'>> & {
  readonly quotas?: Quotas;
  readonly key?: string;
  readonly project?: string;
  readonly door?: 'sdk' | 'native';
};
let numbers = 0;
/** A batch with one event for each seed. */
function send(seeds: readonly string[], { now, quotas, key = 'k1', project = 'shop', door = 'sdk' }: Sender) {
  const event = { project, door };
  const items = seeds.map((seed) => makeItem(0, seed, { ...event, event_id: `quota-${++numbers}` }, { key }));
  const policy = { quietAfterRejectMs: 0, ...(quotas === undefined ? {} : { quotas }) };
  return makeBatch(items, { edge: 'embedded', policy, ...(now === undefined ? {} : { now }) });
}

const seeds = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`);
const names = (outcomes: readonly { readonly outcome: string }[]) => outcomes.map(({ outcome }) => outcome);

async function usageOf({ runUsage }: StorageSubject): Promise<ReadonlyMap<string, QuotaUsage['counts']>> {
  const usage = await runUsage.usage();
  return new Map(
    usage.map(({ scope, project, door, key, counts }) => [
      [scope, project, door, key].filter((part) => part !== null).join(' '),
      counts,
    ]),
  );
}

/** What `record` promises about quotas. */
export const quotaCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('a used-up hour refuses new runs of that key only; known runs still count', async (storage) => {
    const { runStore } = storage;
    const quotas = quotasOf({ key: { ...MANY, new_runs: 2 } });
    const first = await runStore.record(send(['a', 'b', 'c', 'a'], { quotas }));
    assert.deepEqual(names(first.outcomes), ['accepted', 'accepted', 'over_quota', 'accepted']);
    assert.deepEqual(first.outcomes[2]?.quota, { scope: 'key', limit: 'new_runs' });
    assert.equal(first.outcomes[2]?.run_id, null);
    const known = await runStore.record(send(['b', 'd'], { quotas }));
    assert.deepEqual(names(known.outcomes), ['accepted', 'over_quota']);
    for (const other of [{ key: 'k2' }, { project: 'bank' }, { door: 'native' as const }]) {
      const { outcomes } = await runStore.record(send(['d'], { quotas, ...other }));
      assert.deepEqual(names(outcomes), ['accepted'], JSON.stringify(other));
      if (other.key === 'k2') {
        const again = await runStore.record(send(['d'], { quotas }));
        assert.deepEqual(names(again.outcomes), ['accepted'], 'known by now');
      }
    }
    const later = send(['e'], { quotas, now: '2026-01-05T10:00:00.000Z' });
    assert.deepEqual(names((await runStore.record(later)).outcomes), ['accepted'], 'the next hour');
    const counts = (await usageOf(storage)).get('key shop sdk k1');
    assert.deepEqual([counts?.new_runs, counts?.open_runs, counts?.refused], [1, 3, 2]);
  }),
  onSubject('a door and a project have quotas of their own', async (storage) => {
    const { runStore } = storage;
    const quotas = quotasOf({ door: { ...MANY, new_runs: 2 }, project: { ...MANY, new_runs: 3 } });
    const door = await runStore.record(send(['a', 'b', 'c'], { quotas }));
    assert.deepEqual(door.outcomes[2]?.quota, { scope: 'door', limit: 'new_runs' });
    const trusted = await runStore.record(send(['c', 'd'], { quotas, door: 'native', key: 'token' }));
    assert.deepEqual(names(trusted.outcomes), ['accepted', 'over_quota']);
    assert.deepEqual(trusted.outcomes[1]?.quota, { scope: 'project', limit: 'new_runs' });
    const other = await runStore.record(send(['a', 'b'], { quotas, project: 'bank' }));
    assert.deepEqual(names(other.outcomes), ['accepted', 'accepted'], 'a flood of one project');
  }),
  onSubject('open runs and bytes are freed by decisions', async (storage) => {
    const { runStore } = storage;
    const quotas = quotasOf({ key: { ...MANY, open_runs: 2 } });
    const first = await runStore.record(send(['a', 'b', 'c'], { quotas }));
    assert.deepEqual(first.outcomes[2]?.quota, { scope: 'key', limit: 'open_runs' });
    const run_id = first.outcomes[0]?.run_id ?? '';
    const change = { run_id, version: 1, now: '2026-01-05T09:10:00.000Z', history: [] };
    await runStore.change({ ...change, patch: { state: 'rejected' } });
    const next = await runStore.record(send(['c', 'd'], { quotas }));
    assert.deepEqual(names(next.outcomes), ['accepted', 'over_quota']);
    const tight = quotasOf({ project: { ...MANY, bytes: 3 * BLOCK } });
    const full = await runStore.record(send(['e'], { quotas: tight }));
    assert.deepEqual(full.outcomes[0]?.quota, { scope: 'project', limit: 'bytes' });
    const counts = (await usageOf(storage)).get('project shop');
    assert.deepEqual([counts?.open_runs, counts?.bytes, counts?.refused], [2, 3 * BLOCK, 3]);
  }),
  onSubject('a known run takes no larger event than its quota of bytes allows', async ({ runStore }) => {
    const quotas = quotasOf({ key: { ...MANY, bytes: BLOCK } });
    const large = { note: 'x'.repeat(BLOCK) };
    const first = await runStore.record(send(['a'], { quotas }));
    const batch = send(['a'], { quotas });
    const items = batch.items.map((item) => ({
      ...item,
      occurrence: item.occurrence && {
        ...item.occurrence,
        event: { ...item.occurrence.event, extra: large },
      },
    }));
    assert.deepEqual(names((await runStore.record({ ...batch, items })).outcomes), ['accepted']);
    const run = (await runStore.get(first.outcomes[0]?.run_id ?? ''))?.run;
    assert.equal(run?.occurrences, 2, 'it is counted');
    assert.deepEqual(run?.event.extra, {}, 'the earlier event stays');
  }),
  onSubject('a repeated batch returns its refusals', async (storage) => {
    const { runStore } = storage;
    const quotas = quotasOf({ key: { ...MANY, new_runs: 1 } });
    const batch = makeBatch([makeItem(1, 'a', {}, { key: 'k' }), makeItem(2, 'b', {}, { key: 'k' })], {
      policy: { quietAfterRejectMs: 0, quotas },
    });
    const first = await runStore.record(batch);
    assert.deepEqual(names(first.outcomes), ['accepted', 'over_quota']);
    assert.deepEqual((await runStore.record(batch)).outcomes, first.outcomes);
    const generous = { ...batch, policy: { quietAfterRejectMs: 0 } };
    assert.deepEqual((await runStore.record(generous)).outcomes, first.outcomes);
    assert.equal((await usageOf(storage)).get('key default native k')?.refused, 1);
  }),
  onSubject('many callers at once stay within the quota, and it counts exactly', async (storage) => {
    const quotas = quotasOf({ key: { ...MANY, new_runs: 25 } });
    const results = await Promise.all(
      seeds(40, 'many').map((seed) => storage.runStore.record(send([seed], { quotas }))),
    );
    const outcomes = results.flatMap((result) => names(result.outcomes));
    assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 25);
    const counts = (await usageOf(storage)).get('key shop sdk k1');
    assert.deepEqual([counts?.new_runs, counts?.open_runs, counts?.refused], [25, 25, 15]);
    assert.equal(counts?.bytes, 25 * BLOCK);
  }),
];
