import t from 'tap';
import { CulpritError } from '../../src/errors/error.js';
import { AnalysisInputs } from '../../src/gates/analysis-of.js';
import { GateOne } from '../../src/gates/gate-one.js';
import type { Investigations } from '../../src/gates/investigations.js';
import { EarlierIssues } from '../../src/pipeline/earlier-issue.js';
import { FirstReleases } from '../../src/pipeline/first-releases.js';
import type { Notifications } from '../../src/pipeline/notify.js';
import { CommitRanges } from '../../src/pipeline/releases/commit-range.js';
import { ReleaseBook } from '../../src/pipeline/releases/release-book.js';
import { standardSanitiser } from '../../src/pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from '../../src/policy.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import { Progress } from '../../src/runs/progress.js';
import { Projects } from '../../src/runs/projects.js';
import { Runs } from '../../src/runs/runs.js';
import { Tasks } from '../../src/runs/tasks.js';
import { silentLogger, systemIds } from '../../src/system.js';
import { makeBatch, makeItem } from '../../src/testing/builders.js';
import { manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { memoryStorage } from '../../src/testing/memory-storage.js';

async function gateOneOn(codeHost: CodeHost | null) {
  const storage = memoryStorage();
  const changed: string[] = [];
  const progress = new Progress();
  const { runStore, runHistory, statusFeed, values } = storage;
  const clock = manualClock();
  const policy = DEFAULT_POLICY;
  const tasks = new Tasks(silentLogger);
  const projects = new Projects({ default: { repository: 'shop/shop' } }, policy);
  const runs = new Runs(runStore, statusFeed, clock, tasks);
  const ranges = new CommitRanges(codeHost, clock, tasks, silentLogger);
  const releases = new ReleaseBook(values, ranges, projects, clock, systemIds, standardSanitiser);
  const notifications = { changed: (runId: string) => changed.push(runId) } as unknown as Notifications;
  const gate = new GateOne(
    runs,
    new AnalysisInputs(runHistory, values, codeHost, clock, policy, standardSanitiser, projects, releases),
    new EarlierIssues(
      runs,
      null,
      new FirstReleases(codeHost, releases, projects, clock, policy, tasks, silentLogger),
      projects,
      tasks,
    ),
    [],
    null,
    values,
    clock,
    policy,
    tasks,
    progress,
    notifications,
    { automatic: async () => null } as unknown as Investigations,
  );
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
