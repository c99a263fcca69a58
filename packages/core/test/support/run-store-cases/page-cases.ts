import assert from 'node:assert/strict';
import { summarise } from '../../../src/domain/run.js';
import { isCulpritError } from '../../../src/errors/error.js';
import type { RunQuery, RunStore } from '../../../src/ports/run-store.js';
import { makeBatch, makeFingerprint, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const minute = (n: number) => new Date(Date.UTC(2026, 0, 5, 9, n)).toISOString();

/** Run n is of project `even` or `odd` and was last active in minute n; every third is rejected. */
async function fill({ runStore }: StorageSubject, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const item = makeItem(0, `seed${n}`, { event_id: `e${n}`, project: n % 2 === 0 ? 'even' : 'odd' });
    const { outcomes } = await runStore.record(makeBatch([item], { edge: 'embedded', now: minute(n) }));
    const run_id = outcomes[0]?.run_id ?? '';
    ids.push(run_id);
    if (n % 3 !== 0) continue;
    await runStore.change({ run_id, version: 1, patch: { state: 'rejected' }, now: minute(n), history: [] });
  }
  return ids;
}

async function walk(runStore: RunStore, query: RunQuery): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await runStore.page(cursor === null ? query : { ...query, cursor });
    assert.ok(page.runs.length <= query.limit);
    ids.push(...page.runs.map(({ run_id }) => run_id));
    cursor = page.next;
  } while (cursor !== null);
  return ids;
}

/** What `page` promises: order, filters, cursors that belong to their query. */
export const pageCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('page finds the latest run of a fingerprint by any of its hashes', async ({ runStore }) => {
    const hash = makeFingerprint('a').hash;
    const alias = makeFingerprint('older').hash;
    const first = await runStore.record(makeBatch([makeItem(1, 'a', {}, { aliases: [alias] })]));
    const run_id = first.outcomes[0]?.run_id ?? '';
    const ids = async (query: Partial<RunQuery>) => {
      const { runs, next } = await runStore.page({ project: 'default', limit: 5, ...query });
      assert.equal(next, null);
      return runs.map((run) => run.run_id);
    };
    assert.deepEqual(await ids({ fingerprint: hash }), [run_id]);
    assert.deepEqual(await ids({ fingerprint: alias }), [run_id]);
    assert.deepEqual(await ids({ fingerprint: hash, project: 'other' }), []);
    assert.deepEqual(await ids({ fingerprint: makeFingerprint('b').hash }), []);
    assert.deepEqual(await ids({ fingerprint: hash, states: ['published'] }), []);
    const patch = { state: 'published' } as const;
    await runStore.change({ run_id, version: 1, patch, now: minute(1), history: [] });
    assert.deepEqual(await ids({ fingerprint: hash, states: ['published'] }), [run_id]);
    const policy = { quietAfterRejectMs: 0, closedIssues: [run_id] };
    const back = await runStore.record(makeBatch([makeItem(2, 'a', {}, { aliases: [alias] })], { policy }));
    const next = back.outcomes[0]?.run_id ?? '';
    assert.deepEqual(await ids({ fingerprint: hash }), [next], 'and no earlier one');
    assert.deepEqual(await ids({ fingerprint: alias }), [next]);
    assert.deepEqual(await ids({ fingerprint: hash, states: ['published'] }), []);
  }),
  onSubject('page lists by latest activity, each run once, whatever the limit', async (storage) => {
    const ids = await fill(storage, 25);
    const expected = [...ids].reverse();
    for (const limit of [1, 4, 25, 200]) {
      assert.deepEqual(await walk(storage.runStore, { limit }), expected, `limit ${limit}`);
    }
    const { runs, next } = await storage.runStore.page({ limit: 25 });
    assert.equal(next, null);
    const record = await storage.runStore.get(ids[24] ?? '');
    assert.deepEqual(runs[0], record && summarise(record.run));
  }),
  onSubject('page breaks ties of activity by run id', async ({ runStore }) => {
    const items = Array.from({ length: 12 }, (_, n) => makeItem(n + 1, `seed${n}`));
    const { outcomes } = await runStore.record(makeBatch(items));
    const ids = outcomes.map(({ run_id }) => run_id ?? '').sort();
    assert.deepEqual(await walk(runStore, { limit: 5 }), ids);
  }),
  onSubject('page filters by states, by project and by both', async (storage) => {
    const ids = await fill(storage, 24);
    const expect = (keep: (n: number) => boolean) => ids.filter((_, n) => keep(n)).reverse();
    const list = (query: Partial<RunQuery>) => walk(storage.runStore, { limit: 3, ...query });
    const rejected = ['rejected'] as const;
    assert.deepEqual(
      await list({ states: rejected }),
      expect((n) => n % 3 === 0),
    );
    assert.deepEqual(
      await list({ project: 'odd' }),
      expect((n) => n % 2 === 1),
    );
    assert.deepEqual(
      await list({ project: 'odd', states: rejected }),
      expect((n) => n % 6 === 3),
    );
    assert.deepEqual(await list({ states: ['staged_raw', 'rejected', 'rejected'] }), [...ids].reverse());
    assert.deepEqual(await list({ states: [] }), [...ids].reverse(), 'no states means all');
    assert.deepEqual(await list({ states: ['published'] }), []);
    assert.deepEqual(await list({ project: 'none' }), []);
    assert.deepEqual(await list({ projects: ['odd', 'even', 'none', 'odd'] }), [...ids].reverse());
    assert.deepEqual(
      await list({ projects: ['none', 'odd'], states: rejected }),
      expect((n) => n % 6 === 3),
    );
    assert.deepEqual(await list({ projects: ['odd'], query: 'seed3' }), [ids[3]]);
    assert.deepEqual(await list({ projects: ['odd'], query: 'seed2' }), [ids[23], ids[21]]);
    assert.deepEqual(
      [...(await list({ projects: ['odd'], order: 'oldest' }))].sort(),
      expect((n) => n % 2 === 1).sort(),
    );
    assert.deepEqual(await list({ projects: ['odd'], project: 'even' }), [], 'all filters must match');
    assert.deepEqual(await list({ projects: [] }), []);
  }),
  onSubject('page finds runs by all words of a search, hash or id, in any case', async (storage) => {
    const ids = await fill(storage, 24);
    const list = (query: string) => walk(storage.runStore, { limit: 3, query });
    assert.deepEqual(await list('  SEED7 typeerror '), [ids[7]]);
    assert.deepEqual(
      await list('seed2'),
      [23, 22, 21, 20, 2].map((n) => ids[n]),
    );
    assert.deepEqual(await list(ids[5] ?? ''), [ids[5]]);
    const hash = (await storage.runStore.get(ids[9] ?? ''))?.run.fingerprint.hash ?? '';
    assert.deepEqual(await list(hash), [ids[9]]);
    assert.deepEqual(await list('seed7 seed8'), []);
    assert.deepEqual(await list(' '), [...ids].reverse());
  }),
  onSubject('paging shows no run twice while runs move and new ones arrive', async (storage) => {
    const ids = await fill(storage, 20);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let step = 0; step < 7; step++) {
      const page = await storage.runStore.page({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.runs.map(({ run_id }) => run_id));
      if (page.next === null) break;
      cursor = page.next;
      const again = makeItem(0, 'seed1', { event_id: `again${step}`, project: 'odd' });
      const fresh = makeItem(0, `fresh${step}`, { event_id: `fresh${step}` });
      const now = minute(100 + step);
      await storage.runStore.record(makeBatch([again, fresh], { edge: 'embedded', now }));
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen, ids.filter((_, n) => n !== 1).reverse());
  }),
  onSubject('a malformed cursor, or that of another query, is invalid', async (storage) => {
    await fill(storage, 6);
    const { next } = await storage.runStore.page({ limit: 2 });
    assert.ok(next);
    const wrong: RunQuery[] = [
      { limit: 2, cursor: next, project: 'odd' },
      { limit: 2, cursor: next, states: ['rejected'] },
      { limit: 2, cursor: next, query: 'seed' },
      ...['', 'x', '!!', `${next}AA`, 'bnVsbA', 'é'.repeat(4_000)].map((cursor) => ({ limit: 2, cursor })),
    ];
    for (const query of wrong) {
      await assert.rejects(storage.runStore.page(query), (error) => isCulpritError(error, 'invalid_cursor'));
    }
    const other = await storage.runStore.page({ limit: 4, cursor: next });
    assert.equal(other.runs.length, 4, 'the limit may change between pages');
  }),
  onSubject('a limit outside 1 to 200 is malformed', async ({ runStore }) => {
    for (const limit of [0, -1, 201, 1.5, Number.NaN]) {
      await assert.rejects(runStore.page({ limit }), (error) => isCulpritError(error, 'malformed'));
    }
  }),
];
