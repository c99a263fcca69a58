// A fleet on one Redis: cores are killed under load, then Redis goes down, rejects writes, and fails over without its last
// second. At the end, by id: acknowledged ⊆ staged ⊆ sent, nothing counted twice, no run stuck, no second issue, and live readers
// have received everything. Then 100 approvals of one gate from 4 processes, on Redis and on a file.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildWebshop } from '../../packages/host/dist/demo/webshop.js';
import { allRuns } from './lib/all-runs.mjs';
import { Load } from './lib/load.mjs';
import { random } from './lib/random.mjs';
import { approveAtOnce } from './store/approvals.mjs';
import { command, failOver, REVIEWER, ready, startFleet, within } from './store/fleet.mjs';
import { LiveReader } from './store/readers.mjs';

process.on('SIGTERM', () => process.exit(143));
process.setMaxListeners(0);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    away: { type: 'string' },
    json: { type: 'boolean' },
  },
});
/** How long cores are killed, and how long Redis is down. */
const seconds = Number(values.seconds ?? (values.rounds === undefined ? 120 : Number(values.rounds) * 5));
const away = Number(values.away ?? 60);
const started = performance.now();
const data = mkdtempSync(join(tmpdir(), 'culprit-fleet-'));
buildWebshop(join(data, 'webshop'));

const fleet = await startFleet(data);
const load = new Load({ clients: 8, perSecond: 100 });
const target = {
  serviceToken: 'fleet-service-token',
  get edgeUrl() {
    return fleet.edges[Math.floor(random() * 2)].url;
  },
};
const reviewed = new Set();
const verdict = { area: 'store', ok: false };

const readers = [fleet.url, fleet.url, fleet.cores[0].url].map((url) => new LiveReader(url));
await within('the readers receive their first message', () => readers.every(({ cursor }) => cursor !== null));
load.start(target);
let reviewing = review(4);
verdict.kills = await killCores();
await reviewing.stop();
await load.stop();
await drained();
const last = await lastNumber();
await within(
  'the readers have received every change',
  () => readers.every(({ cursor }) => cursor.sequence >= last),
  20_000,
).catch(() => {});
Object.assign(verdict, {
  readers_connects: sum(readers, 'connects'),
  readers_resets: sum(readers, 'resets'),
  readers_gaps: sum(readers, 'gaps'),
  readers_repeats: sum(readers, 'repeats'),
  readers_behind: readers.filter(({ cursor }) => cursor.sequence < last).length,
});
for (const reader of readers) await reader.stop();
say('part done: cores killed');

load.start(target);
reviewing = review(4);
Object.assign(verdict, await redisGone());
say('part done: Redis down');
verdict.refusing_503 = await redisRefuses();
say('part done: Redis rejecting writes');
const witness = new LiveReader(fleet.cores[1].url);
await within('the extra reader receives its first message', () => witness.cursor !== null);
await failOver(fleet, () => delay(1_200));
for (const core of fleet.cores) await ready(core.url);
await within('the extra reader receives the reset', () => witness.resets > 0);
await witness.stop();
say('part done: Redis failover');
await delay(4_000);
await reviewing.stop();
await load.stop();
verdict.gone_at_start = await goneAtStart();
say('part done: core started without Redis');

const staged = await drained();
say('all crashes have arrived');
verdict.stuck = await settle();
say('all approved runs are published');
Object.assign(verdict, judge(staged));
const approvals = { redis: await approvalsOn(fleet) };
await fleet.stop();
const file = join(data, 'file');
buildWebshop(join(file, 'webshop'));
const single = await startFleet(file, 'file');
approvals.file = await approvalsOn(single);
await single.stop();
verdict.approvals = approvals;
const oneWinner = Object.values(approvals).every((gates) =>
  Object.values(gates).every(
    ({ winners, different, status }) => winners === 1 && different === 1 && status === 200,
  ),
);
verdict.ok =
  verdict.lost +
    verdict.invented +
    verdict.doubled +
    verdict.stuck +
    verdict.second_issues +
    verdict.issues_missing ===
    0 &&
  verdict.readers_gaps + verdict.readers_repeats + verdict.readers_resets + verdict.readers_behind === 0 &&
  verdict.kills > 0 &&
  load.acknowledged.size > 0 &&
  verdict.refusing_503 &&
  verdict.gone_503 &&
  verdict.gone_at_start &&
  oneWinner;
verdict.seconds = Math.round((performance.now() - started) / 1000);
if (verdict.ok) rmSync(data, { recursive: true, force: true });
else console.log(`kept for inspection: ${data}`);
for (const [name, value] of Object.entries(verdict))
  console.log(`${name.padEnd(16)} ${JSON.stringify(value)}`);
if (values.json) console.log(JSON.stringify(verdict));
process.exit(verdict.ok ? 0 : 1);

function say(what) {
  const at = Math.round((performance.now() - started) / 1000);
  console.log(
    `${at} s: ${what}; ${load.sent.size} sent, ${load.acknowledged.size} acknowledged, ${reviewed.size} reviewed`,
  );
}

function sum(list, name) {
  return list.reduce((total, one) => total + one[name], 0);
}

/** One core after another, never the last running one. The reader of the first core stays with it. */
async function killCores() {
  let kills = 0;
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    await delay(1_500 + random() * 1_500);
    const core = fleet.cores[1 + (kills % (fleet.cores.length - 1))];
    if (await core.kill()) kills += 1;
    await delay(300 + random() * 700);
    core.start();
    await ready(core.url);
  }
  return kills;
}

async function redisGone() {
  await fleet.redis.kill();
  await within(
    'a core reports that Redis is unavailable',
    async () => (await ask(fleet.cores[0].url, 'GET', '/readyz')).status === 503,
  );
  const answer = await ask(fleet.cores[0].url, 'GET', '/api/v1/runs');
  await delay(away * 1_000);
  fleet.redis.start();
  for (const core of fleet.cores) await ready(core.url);
  return {
    gone_503: answer.status === 503 && answer.body.code === 'storage_unavailable',
    gone_detail: answer.body.detail,
  };
}

async function redisRefuses() {
  await within('Redis rejects writes', () => command(fleet, 'CONFIG', 'SET', 'min-replicas-to-write', '1'));
  const [run] = (await ask(fleet.url, 'GET', '/api/v1/runs?state=staged_raw&limit=1')).body.runs;
  const answer = await ask(fleet.cores[0].url, 'POST', `/api/v1/runs/${run.run_id}/gate1/reject`, {
    reason: 'a try',
  });
  await within('Redis accepts writes', () => command(fleet, 'CONFIG', 'SET', 'min-replicas-to-write', '0'));
  for (const core of fleet.cores) await ready(core.url);
  return answer.status === 503 && /replicas/.test(answer.body.detail);
}

async function goneAtStart() {
  const [core] = fleet.cores;
  await core.kill();
  await fleet.redis.kill('SIGTERM');
  core.start();
  let answer;
  await within('a core starts without Redis', async () => {
    answer = await ask(core.url, 'GET', '/api/v1/runs').catch(() => null);
    return answer?.status === 503;
  });
  fleet.redis.start();
  for (const one of fleet.cores) await ready(one.url);
  return answer.body.code === 'storage_unavailable';
}

async function ask(url, method, path, body) {
  const headers = { authorization: `Bearer ${REVIEWER}`, 'content-type': 'application/json' };
  const init = { method, headers, signal: AbortSignal.timeout(20_000) };
  const answer = await fetch(url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

async function call(method, path) {
  const answer = await ask(fleet.url, method, path).catch(() => null);
  if (answer?.status === 200) return answer.body;
  await delay(50);
  return null;
}

/** Approves both gates of new runs while processes are killed. */
function review(atATime) {
  let stopped = false;
  const one = async () => {
    while (!stopped) {
      const { runs = [] } = (await call('GET', '/api/v1/runs?state=staged_raw&limit=20')) ?? {};
      const run = runs[Math.floor(random() * runs.length)];
      if (run === undefined) await delay(50);
      else await passGates(run.run_id);
      await delay(100);
    }
  };
  const all = Array.from({ length: atATime }, one);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(all);
    },
  };
}

async function passGates(runId) {
  reviewed.add(runId);
  await call('POST', `/api/v1/runs/${runId}/gate1/approve`);
  await call('POST', `/api/v1/runs/${runId}/gate2/approve`);
}

/** Every run by the name of its crash, once no more arrive; after two minutes the current ones, and the rest counts as lost. */
async function drained() {
  let runs = new Map();
  const end = performance.now() + 120_000;
  for (let still = 0; still < 10 && performance.now() < end; ) {
    await delay(300);
    const now = await allRuns(call);
    const whole = [...load.acknowledged].every((name) => now.has(name));
    still = now.size === runs.size ? still + (whole ? 1 : 0.1) : 0;
    runs = now;
  }
  return runs;
}

/** The feed's last sequence number, from a new reader. */
async function lastNumber() {
  const reader = new LiveReader(fleet.url);
  await within('a reader receives its first message', () => reader.cursor !== null);
  await reader.stop();
  return reader.cursor.sequence;
}

/** Approved runs that are never published. Recovery resumes a run or resets it; then it is approved again. */
async function settle() {
  const open = new Set(reviewed);
  for (const end = performance.now() + 90_000; performance.now() < end && open.size > 0; ) {
    for (const runId of [...open]) {
      const run = await call('GET', `/api/v1/runs/${runId}`);
      if (run?.state === 'published') open.delete(runId);
      else if (run === null) forgotten(runId, open);
      else if (!(run.state === 'rejected')) await passGates(runId);
      else open.delete(runId);
    }
    if (open.size > 0) await delay(500);
  }
  return open.size;
}

/** A run created in the lost second: its crash was resent and has a new run. */
function forgotten(runId, open) {
  open.delete(runId);
  reviewed.delete(runId);
}

function judge(runs) {
  const files = readdirSync(join(data, 'core/outbox')).filter((name) => name.endsWith('.md'));
  const owners = files.map(
    (name) => /run_[0-9a-z]{26}/.exec(readFileSync(join(data, 'core/outbox', name), 'utf8'))?.[0],
  );
  const crashes = files.map(
    (name) => /Crash(\w{6})\b/.exec(readFileSync(join(data, 'core/outbox', name), 'utf8'))?.[1],
  );
  const known = new Set(
    [...runs.values()]
      .flat()
      .filter(({ state }) => state === 'published')
      .map(({ title }) => /Crash(\w{6})\b/.exec(title)?.[1]),
  );
  return {
    sent: load.sent.size,
    repeats: load.repeats,
    acknowledged: load.acknowledged.size,
    staged: runs.size,
    lost: [...load.acknowledged].filter((name) => !runs.has(name)).length,
    invented: [...runs.keys()].filter((name) => !load.sent.has(name)).length,
    doubled: [...runs.values()].filter((same) => same.length > 1 || same[0].occurrences > 1).length,
    issues: files.length,
    second_issues: crashes.length - new Set(crashes).size,
    issues_missing: [...known].filter((name) => !crashes.includes(name)).length,
    issue_owners: new Set(owners).size,
  };
}

async function approvalsOn(where) {
  const crash = {
    event_id: 'approvals',
    platform: 'node',
    exception: {
      values: [
        {
          type: 'Approved',
          value: 'at once',
          stacktrace: {
            frames: [{ filename: 'src/pricing/discounts.js', function: 'approved', lineno: 8, in_app: true }],
          },
        },
      ],
    },
  };
  const sent = await fetch(`${where.edges[0].url}/api/v1/telemetry/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-token': 'fleet-service-token' },
    body: JSON.stringify(crash),
  });
  if (sent.status !== 202) throw new Error(`the edge answered ${sent.status}`);
  let run;
  await within('the crash has arrived', async () => {
    [run] = (await ask(where.url, 'GET', '/api/v1/runs?q=Approved&limit=1')).body.runs;
    return run !== undefined;
  });
  const urls = where.cores.map(({ url }) => url);
  return {
    gate1: await approveAtOnce(urls, run.run_id, 'gate1'),
    gate2: await approveAtOnce(urls, run.run_id, 'gate2'),
  };
}
