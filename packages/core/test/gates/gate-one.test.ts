import t from 'tap';
import { CulpritError } from '../../src/errors/error.js';
import { GateOne } from '../../src/gates/gate-one.js';
import { standardSanitiser } from '../../src/pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from '../../src/policy.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import { Tasks } from '../../src/runs/tasks.js';
import { silentLogger } from '../../src/system.js';
import { makeBatch, makeItem, manualClock, memoryCodeHost, memoryStorage } from '../../src/testing/index.js';

async function gateOneOn(codeHost: CodeHost | null) {
  const storage = memoryStorage();
  const changed: string[] = [];
  const gate = new GateOne({
    ...storage,
    codeHost,
    explainers: [],
    clock: manualClock(),
    policy: DEFAULT_POLICY,
    projects: () => ({ repository: 'shop/shop' }),
    tasks: new Tasks(silentLogger),
    notifications: { changed: (runId) => changed.push(runId) },
    sanitiser: standardSanitiser,
    engineId: 'engine',
  });
  const { outcomes } = await storage.runStore.record(makeBatch([makeItem(1)]));
  return { gate, changed, storage, runId: outcomes[0]?.run_id ?? '' };
}
const reviewer = { name: 'Ada', via: 'api' } as const;

t.test('an approval analyses the run, without an engine or a container', async (t) => {
  const { gate, changed, storage, runId } = await gateOneOn(null);
  t.strictSame(await gate.approve(runId, reviewer), { status: 'analyzed', state: 'staged_draft' });
  const record = await storage.runStore.get(runId);
  t.equal(record?.run.no_suspect?.code, 'no_code_host');
  t.equal(record?.lease, null);
  t.ok(changed.every((id) => id === runId) && changed.length >= 2, 'notified when opened and when staged');
});

t.test('an unreachable code host returns the run to Gate 1', async (t) => {
  const unreachable = memoryCodeHost([{ title: 'First', at: '2026-01-01T00:00:00Z' }], {
    repository: 'shop/shop',
    before: () => {
      throw new CulpritError('code_host_forbidden', 'The token lacks contents:read.');
    },
  });
  const { gate, storage, runId } = await gateOneOn(unreachable);
  await t.rejects(gate.approve(runId, reviewer), { code: 'code_host_forbidden' });
  const { state, last_error } = (await storage.runStore.get(runId))?.run ?? {};
  t.equal(state, 'staged_raw');
  t.equal(last_error?.code, 'code_host_forbidden');
});
