import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../lib/random.mjs';
import { openRepository, REVIEWERS, startCore } from './child.mjs';
import { delivery } from './crash.mjs';
import { differences, issuesOf } from './judge.mjs';

/** `none`: core keeps running. The others kill it with -9: before, during and just after the response to the row's request. */
export const KILLS = ['none', 'before', 'during', 'after'];
/** Far longer than all delays of the policy together, in real ms at the default scale, on a machine that is busy. */
const PATIENCE_MS = 600_000;

/** One row with one kind of kill and two reviewers at both gates. `name` is unique on the double. */
export async function runScenario({ row, kill, name, folder, git, double }) {
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  const { time } = double;
  const { lagMs, asApp } = row;
  const repository = await openRepository(double, { name, git, lagMs, asApp });
  const scene = { row, repository, core: null, kills: 0 };
  const boot = async () => {
    scene.core = await startCore({ folder, repository, time, search: row.search });
  };
  try {
    await boot();
    [scene.runId] = await scene.core.deliver([delivery(1, Date.now())]);
    if (row.gate !== 'gate1') await passGateOne(scene);
    await row.arm(repository);
    if (row.transferred) await publishAndTransfer(scene);
    await killed(scene, kill, boot, row.transferred ? crashAgain : (one) => both(one, row.gate ?? 'gate2'));
    await row.afterwards?.(repository);
    if (row.gate === 'gate1') await passGateOne(scene);
    if (row.transferred) await crashAgain(scene);
    await settle(scene);
    const before = issuesOf(await repository.issues(), scene.runId).length;
    const { state } = await run(scene);
    await repository.clearFaults();
    await row.heal?.(repository);
    const signed = await settle(scene, true);
    // Pending work at GitHub finishes, and must not create a second issue.
    if (row.late) await delay((row.late / time.timeouts) * 1.2);
    const seconds = (performance.now() - started) / 1000;
    return await verdict(scene, { kill, before, state, signed, seconds });
  } finally {
    await repository.clearFaults();
    await repository.release();
    await scene.core?.kill();
  }
}

async function verdict(scene, { kill, before, state, signed, seconds }) {
  const { row, repository, runId, kills } = scene;
  const issues = issuesOf(await repository.issues(), runId);
  const published = await run(scene);
  const wrong =
    issues[0] && signed ? differences(published, signed, issues[0], repository.host) : ['no issue'];
  const bugs = await repository.bugs();
  const expected = row.impossible ? 0 : 1;
  const runs = (await scene.core.call('GET', '/api/v1/runs')).json.runs ?? [];
  const ok =
    issues.length === 1 &&
    runs.length === 1 &&
    (!row.transferred || published.occurrences === 2) &&
    before === expected &&
    published.state === 'published' &&
    wrong.length === 0 &&
    bugs.length === 0 &&
    kills === (kill === 'none' ? 0 : 1);
  const result = {
    row: row.name,
    kill,
    state,
    before,
    issues: issues.length,
    end: published.state,
    wrong,
    bugs,
  };
  return { ...result, seconds, ok, error: published.last_error?.code ?? null };
}

/** The issue is published without a fault, and a person moves it to another repository. */
async function publishAndTransfer(scene) {
  await both(scene, 'gate2');
  await settle(scene);
  const { publication } = await run(scene);
  await scene.repository.transfer(publication.number);
}

/** The same crash once more. The edge repeats a delivery that core did not acknowledge. */
async function crashAgain({ core }) {
  await core.deliver([delivery(2, Date.now(), 1)]).catch(() => null);
}

/** Core is killed around the row's request that `act` causes, and restarted. */
async function killed(scene, kill, boot, act) {
  const { repository, row } = scene;
  const { post, first } = repository.host.requests;
  const at = row.at ?? post;
  const where = { before: row.before ?? first, during: at, after: at }[kill];
  if (where === undefined) return void (await act(scene));
  await repository.hold({ ...where, when: kill === 'after' ? 'after' : 'before' });
  const asked = act(scene);
  const held = await repository.held();
  if (held.length === 0) throw new Error(`${row.name}: no ${JSON.stringify(where)} to kill around`);
  if (kill === 'after') {
    await repository.release();
    await delay(random() * 25);
  }
  await scene.core.kill();
  scene.kills += 1;
  await repository.release();
  await asked;
  await boot();
}

/** Two simultaneous reviewers, both bound to the draft they were shown. */
async function both(scene, gate) {
  const headers = gate === 'gate2' && scene.digest ? { 'if-match': `"${scene.digest}"` } : {};
  const ask = (reviewer) =>
    scene.core.call('POST', `/api/v1/runs/${scene.runId}/${gate}/approve`, { reviewer, headers });
  return Promise.all(REVIEWERS.map(ask));
}

async function run(scene) {
  for (;;) {
    const { status, json } = await scene.core.call('GET', `/api/v1/runs/${scene.runId}`);
    if (status === 200) return json;
    await delay(50);
  }
}

async function passGateOne(scene) {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { state, draft } = await run(scene);
    if (state === 'staged_draft') {
      scene.digest = draft.digest;
      return;
    }
    if (state === 'staged_raw') await both(scene, 'gate1');
    else await delay(50);
  }
  throw new Error(`${scene.row.name}: Gate 1 is stuck`);
}

/**
 * Waits for the end of the publication: published, refused, or waiting for a person. With `again` a refused draft is approved
 * once more. Returns the approved draft.
 */
async function settle(scene, again = false) {
  const until = performance.now() + PATIENCE_MS;
  let signed = null;
  let asked = 0;
  while (performance.now() < until) {
    const { state, draft, last_error } = await run(scene);
    if (draft !== null) signed = draft;
    if (state === 'published') return signed;
    const refused = last_error !== null && !last_error.retryable;
    if (!again && scene.row.impossible && refused) return signed;
    // Killed before the approval was stored, or refused and fixed: a person approves (again).
    if (state === 'staged_draft' && asked < 20) {
      asked += 1;
      await both(scene, 'gate2');
    }
    await delay(50);
  }
  return signed;
}
