import t from 'tap';
import { RUN_COMMANDS } from '../../src/operations/commands.js';
import type { EngineParts } from '../../src/operations/engine-parts.js';
import { standardSanitiser } from '../../src/pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from '../../src/policy.js';
import { Runs } from '../../src/runs/runs.js';
import { Tasks } from '../../src/runs/tasks.js';
import { silentLogger } from '../../src/system.js';
import { makeBatch, makeItem } from '../../src/testing/builders.js';
import { manualClock } from '../../src/testing/index.js';
import { memoryStorage } from '../../src/testing/memory-storage.js';

const reviewer = { name: 'Ada', via: 'api' } as const;

/** Commands on one run, without an engine or a container. */
async function commandsOn() {
  const storage = memoryStorage();
  const changed: string[] = [];
  const clock = manualClock();
  const parts = {
    runs: new Runs(storage.runStore, storage.statusFeed, clock, new Tasks(silentLogger)),
    clock,
    policy: DEFAULT_POLICY,
    sanitiser: standardSanitiser,
    notifications: { changed: (runId: string) => changed.push(runId) },
  } as unknown as EngineParts;
  const { outcomes } = await storage.runStore.record(makeBatch([makeItem(1)]));
  const { rejectGateOne, reopen } = RUN_COMMANDS;
  return {
    storage,
    changed,
    runId: outcomes[0]?.run_id ?? '',
    reject: (runId: string, reason: string) => rejectGateOne.handle(parts, runId, reviewer, { reason }),
    reopen: (runId: string) => reopen.handle(parts, runId, reviewer, {}),
  };
}

t.test('a reason is required, limited and sanitised, and unknown members are refused', async (t) => {
  const { storage, runId, reject } = await commandsOn();
  const refused = { code: 'malformed', path: 'reason' };
  await t.rejects(reject(runId, ' '), { ...refused, message: /^"reason" is required and must not be empty/ });
  await t.rejects(reject(runId, 'x'.repeat(2_001)), { ...refused, message: /at most 2,000 characters/ });
  await t.rejects(reject(runId, undefined as never), { ...refused, message: /^"reason" is missing/ });
  await reject(runId, 'password=hunter2hunter2');
  const { detail } = (await storage.runHistory.history(runId)).at(-1) ?? {};
  t.notMatch(detail?.reason, 'hunter2');
});

t.test('a rejection is undone with an entry of its own, unless a later run has started', async (t) => {
  const { storage, changed, runId, reject, reopen } = await commandsOn();
  await t.rejects(reopen(runId), { code: 'state_conflict' }, 'it is not rejected');
  await reject(runId, 'Junk.');
  const { state, cycle } = await reopen(runId);
  t.same({ state, cycle }, { state: 'staged_raw', cycle: 2 }, 'Gate 1 runs anew');
  t.match((await storage.runHistory.history(runId)).at(-1), {
    kind: 'decision',
    name: 'gate1.reopen',
    by: 'Ada',
    via: 'api',
    from: 'rejected',
    to: 'staged_raw',
  });
  t.strictSame(changed, [runId, runId], 'notified of both');
  await t.rejects(reopen('run_unknown'), { code: 'run_not_found' });
});

t.test('a rejection is not undone after its crash has started a later run', async (t) => {
  const { storage, runId, reject, reopen } = await commandsOn();
  await reject(runId, 'Junk.');
  const later = makeBatch([makeItem(2)], { policy: { quietAfterRejectMs: 0 } });
  const { outcomes } = await storage.runStore.record(later);
  t.not(outcomes[0]?.run_id, runId);
  await t.rejects(reopen(runId), {
    code: 'state_conflict',
    members: { state: 'rejected', latest: outcomes[0]?.run_id },
  });
  t.equal((await storage.runStore.get(runId))?.run.state, 'rejected');
});
