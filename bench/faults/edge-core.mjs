// Repeatedly kills either server with kill -9 under load while gates are approved. At the end, by id:
// acknowledged ⊆ staged ⊆ sent, none counted twice, no run stuck, no run with a second issue.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startServers } from '../../packages/host/dist/demo/servers.js';
import { buildWebshop } from '../../packages/host/dist/demo/webshop.js';
import { allRuns } from './lib/all-runs.mjs';
import { childOf, killHard } from './lib/children.mjs';
import { Load } from './lib/load.mjs';
import { random } from './lib/random.mjs';
import { reservePort } from './lib/reserve-port.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, json: { type: 'boolean' } } });
const rounds = Number(values.rounds ?? 4);
const started = performance.now();
const data = mkdtempSync(join(tmpdir(), 'culprit-faults-'));
buildWebshop(join(data, 'webshop'));
const ports = { edgePort: await reservePort(), corePort: await reservePort() };
const options = { dataDirectory: data, repository: join(data, 'webshop'), ...ports };

const load = new Load();
const published = new Set();
let kills = 0;
for (let round = 1; round <= rounds; round += 1) {
  const servers = await startServers(options);
  load.start(servers);
  const reviewing = review(servers, 4);
  for (const name of round % 2 === 1 ? ['edge', 'core'] : ['core', 'edge']) {
    await delay(300 + random() * 700);
    if (killHard(childOf(servers.pid, name))) kills += 1;
  }
  await delay(800);
  await load.stop();
  await reviewing.stop();
  await servers.stop();
  console.log(
    `round ${round}: ${load.sent.size} sent, ${load.acknowledged.size} acknowledged, ${kills} kills`,
  );
}

const servers = await startServers(options);
const staged = await drained(servers);
const settled = await settle(servers);
const verdict = judge(staged, settled);
await servers.stop();
if (verdict.ok) rmSync(data, { recursive: true, force: true });
else console.log(`kept for inspection: ${data}`);
for (const [name, value] of Object.entries(verdict)) console.log(`${name.padEnd(16)} ${value}`);
if (values.json) console.log(JSON.stringify(verdict));
process.exit(verdict.ok ? 0 : 1);

/** Approves both gates of new runs while servers are killed. */
function review(servers, atATime) {
  let stopped = false;
  const one = async () => {
    while (!stopped) {
      const { runs = [] } = (await call(servers, 'GET', '/api/v1/runs?state=staged_raw&limit=20')) ?? {};
      const run = runs[Math.floor(random() * runs.length)];
      if (run === undefined) await delay(50);
      else await passGates(servers, run.run_id);
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

async function passGates(servers, runId) {
  published.add(runId);
  await call(servers, 'POST', `/api/v1/runs/${runId}/gate1/approve`);
  await call(servers, 'POST', `/api/v1/runs/${runId}/gate2/approve`);
}

async function call({ coreUrl, reviewer }, method, path) {
  try {
    const headers = { authorization: `Bearer ${reviewer.token}` };
    const response = await fetch(coreUrl + path, { method, headers, signal: AbortSignal.timeout(20_000) });
    const answer = await response.json();
    return response.ok ? answer : null;
  } catch {
    await delay(50);
    return null;
  }
}

/** All runs, once their number no longer changes. */
async function drained(servers) {
  let runs = new Map();
  for (let still = 0; still < 10; ) {
    await delay(200);
    const now = await allRuns((method, path) => call(servers, method, path));
    still = now.size === runs.size && holds(now) ? still + 1 : now.size === runs.size ? still + 0.25 : 0;
    runs = now;
  }
  return runs;
}

function holds(runs) {
  return [...load.acknowledged].every((name) => runs.has(name));
}

/** Waits until every run that a reviewer approved is published. Recovery resumes a run or resets it; then it is approved again. */
async function settle(servers) {
  const open = new Set(published);
  for (let tries = 0; tries < 60 && open.size > 0; tries += 1) {
    for (const runId of [...open]) {
      const run = await call(servers, 'GET', `/api/v1/runs/${runId}`);
      if (run?.state === 'published') open.delete(runId);
      else await passGates(servers, runId);
    }
    if (open.size > 0) await delay(500);
  }
  return { stuck: open.size };
}

function judge(runs, { stuck }) {
  const lost = [...load.acknowledged].filter((name) => !runs.has(name)).length;
  const invented = [...runs.keys()].filter((name) => !load.sent.has(name)).length;
  const doubled = [...runs.values()].filter((same) => same.length > 1 || same[0].occurrences > 1).length;
  const files = readdirSync(join(data, 'outbox')).filter((name) => name.endsWith('.md'));
  const owners = files.map(
    (name) => /run_[0-9a-z]{26}/.exec(readFileSync(join(data, 'outbox', name), 'utf8'))?.[0],
  );
  const second = owners.length - new Set(owners).size;
  const missing = [...published].filter((runId) => !owners.includes(runId)).length;
  return {
    area: 'edge-core',
    ok:
      lost + invented + doubled + second + stuck + missing === 0 &&
      kills >= rounds &&
      load.acknowledged.size > 0,
    rounds,
    kills,
    sent: load.sent.size,
    repeats: load.repeats,
    acknowledged: load.acknowledged.size,
    staged: runs.size,
    lost,
    invented,
    doubled,
    reviewed: published.size,
    issues: files.length,
    second_issues: second,
    issues_missing: missing,
    stuck,
    seconds: Math.round((performance.now() - started) / 1000),
  };
}
