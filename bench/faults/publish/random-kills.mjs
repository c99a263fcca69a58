import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../lib/random.mjs';
import { openRepository, REVIEWERS, startCore, startDouble } from './child.mjs';
import { delivery } from './crash.mjs';
import { differences, issuesOf } from './judge.mjs';

/** Possible faults of a round's POST; most rounds have none. */
const FAULTS = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502, afterEffect: true },
  { kind: 'status', status: 403, retryAfter: 30 },
  { kind: 'reset-before' },
  { kind: 'reset-after' },
  { kind: 'hang-after' },
  { kind: 'slow', ms: 30_000 },
];
const FAULTY = 0.3;
const PLACES = ['before signing', 'signed, nothing created', 'created, not recorded', 'recorded'];

/**
 * Publishes `rounds` times; core is killed with -9 at a random moment of each and restarted. Several lanes, each a core with
 * its own storage and repository, share the rounds, because a publication with an unknown result waits for minutes. After
 * `seconds` no round starts; the result contains the number of rounds.
 */
export async function randomKills({ host, rounds, seconds, lanes, folder, git, time }) {
  const started = performance.now();
  const double = await (host.start ?? startDouble)({ host, folder, time });
  let left = rounds;
  const next = () => left-- > 0 && performance.now() - started < seconds * 1_000;
  const names = Array.from({ length: Math.min(lanes, rounds) }, (_, lane) => `lane${lane}`);
  const done = await Promise.all(
    names.map((name) => runLane({ double, git, folder: join(folder, name), name, next })),
  );
  const runs = done.flat();
  const found = await judged(double, runs);
  const where = Object.fromEntries(PLACES.map((at) => [at, runs.filter(({ place }) => place === at).length]));
  return { ...found, where, seconds: Math.round((performance.now() - started) / 1000) };
}

/** Stops the double and counts what became of these runs. */
export async function judged(double, runs) {
  const { host } = double;
  const { issues } = await double.steer('GET', 'issues');
  const { bugs } = await double.steer('GET', 'requests');
  await double.stop();
  const count = (holds) => runs.filter(holds).length;
  const own = ({ id }) => issuesOf(issues, id);
  const result = {
    rounds: runs.length,
    kills: count(({ killed }) => killed),
    issues: issues.length,
    stuck: count(({ published }) => published === null),
    doubled: count((run) => own(run).length > 1),
    lost: count((run) => own(run).length === 0),
    differ: count(
      (run) =>
        run.published && own(run)[0] && differences(run.published, run.signed, own(run)[0], host).length > 0,
    ),
    bugs: bugs.length,
  };
  const { kills, stuck, doubled, lost, differ } = result;
  const ok = runs.length > 0 && kills === runs.length && stuck + doubled + lost + differ + bugs.length === 0;
  return { ...result, ok };
}

async function runLane({ double, git, folder, name, next }) {
  mkdirSync(folder, { recursive: true });
  const repository = await openRepository(double, { name, git, lagMs: 30_000 });
  const lane = { repository, core: null, staged: 0 };
  const boot = async () => {
    lane.core = await startCore({ folder, repository, time: double.time });
  };
  await boot();
  // Two rounds without a kill: the first warms up, the second measures how long a publication currently takes.
  const warm = await stage(lane);
  await sign(lane, warm);
  await finish(lane, warm);
  const timed = await stage(lane);
  const started = performance.now();
  await sign(lane, timed);
  await finish(lane, timed);
  const usual = Math.min(performance.now() - started, 3_000);
  const done = [];
  while (next()) done.push(await round(lane, await stage(lane), boot, usual));
  await lane.core.kill();
  return done;
}

async function round(lane, run, boot, usual) {
  const { repository } = lane;
  const path = repository.host.creationPath(repository.repository);
  if (random() < FAULTY) {
    await repository.fault({ method: 'POST', path, ...FAULTS[Math.floor(random() * FAULTS.length)] });
  }
  const asked = sign(lane, run);
  await delay(random() * usual * 1.3);
  await lane.core.kill();
  await asked;
  const created = issuesOf(await repository.issues(), run.id).length > 0;
  await boot();
  const published = await finish(lane, run);
  return { ...run, killed: true, published, place: await place(lane, run, created) };
}

/** A run with a draft that waits for Gate 2. */
export async function stage(lane) {
  const { core } = lane;
  lane.staged += 1;
  const [id] = await core.deliver([delivery(lane.staged, Date.now())]);
  // A busy core refuses now and then, and another core may resume the analysis.
  for (;;) {
    await core.call('POST', `/api/v1/runs/${id}/gate1/approve`);
    const { status, json: signed } = await core.call('GET', `/api/v1/runs/${id}/draft`);
    if (status === 200) return { id, signed };
    await delay(50);
  }
}

/** Two simultaneous reviewers. */
export async function sign({ core }, { id, signed }) {
  const headers = { 'if-match': `"${signed.digest}"` };
  const ask = (reviewer) => core.call('POST', `/api/v1/runs/${id}/gate2/approve`, { reviewer, headers });
  await Promise.all(REVIEWERS.map(ask));
}

/** The run once it is published, approved again if the kill came first; `null` if it never is. */
export async function finish(lane, run) {
  const until = performance.now() + 240_000;
  while (performance.now() < until) {
    const { json } = await lane.core.call('GET', `/api/v1/runs/${run.id}`);
    if (json.state === 'published') return json;
    if (json.state === 'staged_draft') await sign(lane, run);
    else await delay(100);
  }
  return null;
}

/** Where in the publication the kill fell, according to the history. */
async function place({ core }, { id }, created) {
  const { json } = await core.call('GET', `/api/v1/runs/${id}/history`);
  const resumed = json.entries.some(({ name }) => name === 'publish.resumed');
  if (!resumed) return created ? 'recorded' : 'before signing';
  return created ? 'created, not recorded' : 'signed, nothing created';
}
