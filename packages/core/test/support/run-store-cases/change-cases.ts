import assert from 'node:assert/strict';
import type { NewHistoryEntry } from '../../../src/domain/history.js';
import type { PublishIntent } from '../../../src/domain/run.js';
import { isCulpritError } from '../../../src/errors/error.js';
import type { RunChange } from '../../../src/ports/run-store.js';
import { makeBatch, makeItem } from '../../../src/testing/builders.js';
import { type ContractCase, onSubject } from '../../../src/testing/contract-case.js';
import type { StorageSubject } from './storage-subject.js';

const NOW = '2026-01-05T09:30:00.000Z';
const entry = (name: string): NewHistoryEntry => ({
  at: NOW,
  kind: 'decision',
  name,
  by: 'alex',
  via: 'api',
  from: 'staged_raw',
  to: 'analyzing',
  digest: null,
  ms: 3,
  error: null,
  detail: { note: 'seen' },
});
const intent: PublishIntent = {
  digest: 'd',
  marker: 'm',
  reviewer: 'alex',
  signed_at: NOW,
  attempts: 0,
  ambiguous: false,
  looks: 0,
  failures: 0,
  not_before: null,
};

async function stage({ runStore }: StorageSubject): Promise<string> {
  const { outcomes } = await runStore.record(makeBatch([makeItem(1, 'a')]));
  return outcomes[0]?.run_id ?? '';
}
const toAnalyzing = (run_id: string, version = 1): RunChange => ({
  run_id,
  version,
  patch: { state: 'analyzing', approved_by: 'ada' },
  now: NOW,
  history: [entry('gate1.approve')],
});

/** What `change` and the history promise: compare-and-set, atomic with history and feed. */
export const changeCases: readonly ContractCase<StorageSubject>[] = [
  onSubject('change applies the patch, raises the version, adds history', async (storage) => {
    const { runStore, runHistory } = storage;
    const runId = await stage(storage);
    const before = await runStore.get(runId);
    const changed = await runStore.change(toAnalyzing(runId));
    assert.deepEqual(changed, await runStore.get(runId));
    assert.deepEqual(changed.run, {
      ...before?.run,
      state: 'analyzing',
      approved_by: 'ada',
      version: 2,
      updated_at: NOW,
    });
    const history = await runHistory.history(runId);
    assert.deepEqual(
      history.map(({ sequence, name }) => [sequence, name]),
      [
        [1, 'staged'],
        [2, 'gate1.approve'],
      ],
    );
    assert.deepEqual(history[1], { ...entry('gate1.approve'), sequence: 2 });
    assert.deepEqual(await runHistory.history('run_unknown'), []);
  }),
  onSubject('a caller with a stale version can read the winning change at once', async (storage) => {
    const runId = await stage(storage);
    const rival = async () => {
      await storage.runStore.change(toAnalyzing(runId)).catch(async (error) => {
        assert.ok(isCulpritError(error, 'version_conflict'));
        assert.equal((await storage.runStore.get(runId))?.run.version, 2);
      });
    };
    await Promise.all(Array.from({ length: 20 }, rival));
  }),
  onSubject('of 100 changes to one version exactly one wins and is recorded', async (storage) => {
    const runId = await stage(storage);
    const { sequence } = await storage.statusFeed.head();
    const tries = Array.from({ length: 100 }, (_, n) =>
      storage.runStore.change({ ...toAnalyzing(runId), history: [entry(`try ${n}`)] }),
    );
    const settled = await Promise.allSettled(tries);
    const lost = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(lost.length, 99);
    assert.ok(lost.every(({ reason }) => isCulpritError(reason, 'version_conflict')));
    assert.equal((await storage.runStore.get(runId))?.run.version, 2);
    assert.equal((await storage.runHistory.history(runId)).length, 2);
    assert.equal((await storage.statusFeed.head()).sequence, sequence + 1);
  }),
  onSubject('concurrent counting neither fails a change nor is undone by it', async (storage) => {
    const runId = await stage(storage);
    const counting = Array.from({ length: 20 }, (_, n) =>
      storage.runStore.record(makeBatch([makeItem(0, 'a', { event_id: `c${n}` })], { edge: 'embedded' })),
    );
    const [changed] = await Promise.all([
      storage.runStore.change({
        ...toAnalyzing(runId),
        patch: { state: 'analyzing', suspects: [], revision: { sha: 'f'.repeat(40), how: 'tag' } },
      }),
      ...counting,
    ]);
    const run = (await storage.runStore.get(runId))?.run;
    assert.equal(run?.occurrences, 21);
    assert.deepEqual([run?.state, run?.version], ['analyzing', 2]);
    assert.deepEqual(run?.revision, changed.run.revision);
  }),
  onSubject('intent and lease: absent keeps, a value sets, null clears', async (storage) => {
    const { runStore } = storage;
    const runId = await stage(storage);
    const lease = { owner: 'p1', token: 1, expires_at: NOW };
    await runStore.change({ ...toAnalyzing(runId), intent, lease });
    await runStore.record(makeBatch([makeItem(2, 'a')]));
    const kept = await runStore.change(toAnalyzing(runId, 2));
    assert.deepEqual([kept.intent, kept.lease], [intent, lease]);
    const cleared = await runStore.change({ ...toAnalyzing(runId, 3), intent: null, lease: null });
    assert.deepEqual([cleared.intent, cleared.lease], [null, null]);
    assert.deepEqual(await runStore.get(runId), cleared);
  }),
  onSubject('a lease with an older token than the stored one is refused', async (storage) => {
    const runId = await stage(storage);
    const lease = (token: number) => ({ owner: `p${token}`, token, expires_at: NOW });
    await storage.runStore.change({ ...toAnalyzing(runId), lease: lease(2) });
    await assert.rejects(storage.runStore.change({ ...toAnalyzing(runId, 2), lease: lease(1) }), (error) =>
      isCulpritError(error, 'version_conflict'),
    );
    const taken = await storage.runStore.change({ ...toAnalyzing(runId, 2), lease: lease(3) });
    assert.equal(taken.lease?.owner, 'p3');
  }),
  onSubject('large parts are returned as stored: explanation, draft, null', async (storage) => {
    const { runStore } = storage;
    const runId = await stage(storage);
    const draft = {
      title: 'Título `x` \u2028 \u{1f980}',
      body: 'line\r\n'.repeat(10_000),
      labels: ['culprit'],
      assignees: [],
      repository: 'o/n',
      digest: 'abc',
      edited_by: null,
    };
    const explanation = {
      source: 'template' as const,
      model: null,
      claims: [],
      insufficient: true,
      note: null,
    };
    const no_suspect = { code: 'no_frames' as const, detail: 'none' };
    await runStore.change({ ...toAnalyzing(runId), patch: { draft, explanation, no_suspect } });
    await runStore.record(makeBatch([makeItem(2, 'a')]));
    const run = (await runStore.get(runId))?.run;
    assert.deepEqual([run?.draft, run?.explanation, run?.no_suspect], [draft, explanation, no_suspect]);
    const page = await runStore.page({ limit: 10 });
    assert.deepEqual(page.runs[0]?.draft, { digest: 'abc', title: draft.title, edited_by: null });
    const cleared = await runStore.change({
      ...toAnalyzing(runId, 2),
      patch: { draft: null, explanation: null },
    });
    assert.deepEqual([cleared.run.draft, cleared.run.explanation], [null, null]);
  }),
  onSubject('an unknown run: get returns null, change rejects', async ({ runStore }) => {
    for (const id of ['run_unknown', '', '../..', 'a\u0000b', 'x'.repeat(5_000)]) {
      assert.equal(await runStore.get(id), null);
      await assert.rejects(runStore.change(toAnalyzing(id)), (error) =>
        isCulpritError(error, 'run_not_found'),
      );
    }
  }),
];
