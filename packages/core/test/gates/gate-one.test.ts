import t from 'tap';
import { CulpritError } from '../../src/errors/error.js';
import { GateOne } from '../../src/gates/gate-one.js';
import { standardSanitiser } from '../../src/pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from '../../src/policy.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import { Progress } from '../../src/runs/progress.js';
import { Tasks } from '../../src/runs/tasks.js';
import { silentLogger } from '../../src/system.js';
import { makeBatch, makeItem } from '../../src/testing/builders.js';
import { manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { memoryStorage } from '../../src/testing/memory-storage.js';

async function gateOneOn(codeHost: CodeHost | null) {
  const storage = memoryStorage();
  const changed: string[] = [];
  const progress = new Progress();
  const gate = new GateOne({
    ...storage,
    codeHost,
    publisher: null,
    firstRelease: async () => null,
    releases: { find: async () => null, versions: async () => [], commits: async () => null },
    explainers: [],
    sourceMaps: null,
    clock: manualClock(),
    policy: DEFAULT_POLICY,
    projects: () => ({ repository: 'shop/shop' }),
    tasks: new Tasks(silentLogger),
    notifications: { changed: (runId) => changed.push(runId) },
    sanitiser: standardSanitiser,
    engineId: 'engine',
    progress,
  });
  const { outcomes } = await storage.runStore.record(makeBatch([makeItem(1)]));
  return { gate, changed, storage, progress, runId: outcomes[0]?.run_id ?? '' };
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

t.test('an approval that is not waited for responds at once, and the steps are followed', async (t) => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = memoryCodeHost([{ title: 'First', at: '2026-01-01T00:00:00Z' }], {
    repository: 'shop/shop',
    before: () => answered,
  });
  const { gate, storage, progress, runId } = await gateOneOn(slow);
  const heard: string[] = [];
  progress.watch(({ run, steps }) => heard.push(`${run.state} ${steps.map(({ name }) => name)}`));
  const run = await gate.start(runId, reviewer);
  t.equal(run.state, 'analyzing', 'the code host has not answered yet');
  t.equal((await gate.start(runId, reviewer)).state, 'analyzing', 'a repetition changes nothing');
  t.same(progress.all(), []);
  const approval = gate.approve(runId, reviewer);
  answer();
  t.equal((await approval).state, 'staged_draft', 'an approval that waits joins the same analysis');
  t.ok(heard.length >= 3, 'one report for each step');
  t.match(heard[0], /^analyzing tree$/);
  t.match(heard.at(-1), /^analyzing tree,.*explain,compose$/);
  const history = await storage.runHistory.history(runId);
  t.equal(history.filter(({ name }) => name === 'gate1.approve').length, 1);
});
