import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../lib/random.mjs';
import { reservePort } from '../lib/reserve-port.mjs';
import { openRepository, startCore, startDouble } from './child.mjs';
import { finish, judged, sign, stage } from './random-kills.mjs';

/**
 * What a core is stopped at. `attempt`: Redis has recorded that the issue is about to be created, and the core has not read the
 * reply. `random`: at any moment, and either core.
 */
const POINTS = ['search', 'attempt', 'creation', 'created', 'random'];
/** `stop`: SIGSTOP until the other core has published and the lease is over, then SIGCONT. */
const ENDS = ['kill', 'stop'];
const PLAN = POINTS.flatMap((point) => ENDS.map((end) => ({ point, end })));
/** Of a lease, before time is scaled. */
const LEASE_MS = 30 * 60_000;
/** Real time in which a core that continues sends what it was about to send. */
const LATE_MS = 1_000;

/** Publishes `rounds` times with two cores on one Redis, in lanes with a repository each. The points take turns. */
export async function twoCores({ host, rounds, seconds, lanes, folder, git, time }) {
  const started = performance.now();
  const redis = await startRedis(folder);
  let begun = 0;
  const next = () => {
    if (begun === rounds || performance.now() - started > seconds * 1_000) return null;
    return PLAN[begun++ % PLAN.length];
  };
  const where = {};
  const done = await Promise.all(
    Array.from({ length: Math.min(lanes, rounds) }, async (_, lane) => {
      const own = join(folder, `lane${lane}`);
      mkdirSync(own, { recursive: true });
      // A double of its own, because it holds and releases the requests of all.
      const double = await startDouble({ host, folder: own, time });
      const runs = await runLane({ double, git, folder: own, redis, lane, next });
      for (const { place } of runs) where[place] = (where[place] ?? 0) + 1;
      return judged(double, runs);
    }),
  );
  redis.kill();
  const total = { rounds: 0, kills: 0, issues: 0, stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 };
  for (const found of done) for (const name of Object.keys(total)) total[name] += found[name];
  const ok = done.every((found) => found.ok);
  return { ...total, ok, where, seconds: Math.round((performance.now() - started) / 1000) };
}

async function runLane({ double, git, folder, redis, lane: database, next }) {
  const repository = await openRepository(double, { name: `lane${database}`, git, lagMs: 30_000 });
  const lane = { repository, time: double.time, cores: [], proxies: [], staged: 0 };
  lane.boot = async (index) => {
    lane.proxies[index] ??= await holdingProxy(redis.port);
    const storage = `redis://127.0.0.1:${lane.proxies[index].port}/${database}`;
    lane.cores[index] = await startCore({ folder, repository, time: double.time, storage });
  };
  try {
    // One after the other: the first makes the secrets of both.
    await lane.boot(0);
    await lane.boot(1);
    const done = [];
    for (let plan = next(); plan !== null; plan = next()) done.push(await round(lane, plan));
    return done;
  } finally {
    await Promise.all(lane.cores.map((core) => core.kill()));
    for (const proxy of lane.proxies) proxy.close();
  }
}

async function round(lane, { point, end }) {
  const { cores, repository, time } = lane;
  const owner = Math.floor(random() * 2);
  const run = await stage({ core: cores[owner], staged: lane.staged++ });
  const stop = (index) => (end === 'kill' ? cores[index].kill() : cores[index].pause());
  const { victim, asked } = await stoppedAt(lane, { point, run, owner, stop });
  const since = performance.now();
  const other = { ...lane, core: cores[1 - victim] };
  const published = await finish(other, run);
  if (end === 'kill') await lane.boot(victim);
  else {
    await delay(Math.max(0, LEASE_MS / time.scale - (performance.now() - since)));
    cores[victim].resume();
  }
  await asked;
  await delay(LATE_MS);
  const { json } = await cores[victim].call('GET', `/api/v1/runs/${run.id}`);
  const same = json.state === 'published' && json.publication.number === published?.publication.number;
  await repository.clearFaults();
  const who = victim === owner ? 'publisher' : 'other core';
  return { ...run, killed: true, published: same ? published : null, place: `${end} ${who}, ${point}` };
}

/** Approves until the publication begins: a busy core refuses now and then. */
async function signed(lane, run) {
  for (let state = 'staged_draft'; state === 'staged_draft'; ) {
    await sign(lane, run);
    ({ state } = (await lane.core.call('GET', `/api/v1/runs/${run.id}`)).json);
  }
}

/**
 * Stops a core when the publication of `owner` has come to `point`. Returns which, and the approvals, which may not be answered yet.
 * A core that is slow to renew its heartbeat may have been relieved before: then the other one is stopped at the attempt.
 */
async function stoppedAt(lane, { point, run, owner, stop }) {
  const { repository, proxies } = lane;
  const { post, list } = repository.host.requests;
  if (point === 'attempt') {
    const reached = Promise.race(
      proxies.map((proxy, index) => proxy.holdAfter('publish.attempt').then(() => index)),
    );
    const asked = signed({ core: lane.cores[owner] }, run);
    const victim = await reached;
    await stop(victim);
    for (const proxy of proxies) proxy.release();
    return { victim, asked };
  }
  const victim = point === 'random' ? Math.floor(random() * 2) : owner;
  const when = point === 'created' ? 'after' : 'before';
  if (point !== 'random') await repository.hold({ ...(point === 'search' ? list : post), when });
  const asked = signed({ core: lane.cores[owner] }, run);
  if (point === 'random') await delay(random() * 400);
  else while ((await repository.held()).length === 0) await delay(100);
  await stop(victim);
  await repository.release();
  return { victim, asked };
}

/** A `redis-server` on a free port. */
async function startRedis(folder) {
  const port = await reservePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn('redis-server', [...options, '--databases', '64'], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  for (let open = false; !open; await delay(20)) {
    open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
  return { port, kill: () => child.kill('SIGKILL') };
}

/** A TCP proxy in front of Redis that holds the replies from a certain request on. */
async function holdingProxy(target) {
  let wanted = null;
  let reached = () => {};
  let held = null;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    let before = '';
    near.on('data', (chunk) => {
      const text = before + chunk.toString('latin1');
      before = text.slice(-100);
      if (wanted !== null && text.includes(wanted)) {
        wanted = null;
        held = [];
        // Redis has carried it out once it replies.
        far.once('data', () => setImmediate(reached));
      }
      far.write(chunk);
    });
    far.on('data', (chunk) => (held === null ? near.write(chunk) : held.push(() => near.write(chunk))));
    for (const [one, two] of [
      [near, far],
      [far, near],
    ])
      one.on('error', () => {}).on('close', () => two.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    holdAfter: (text) =>
      new Promise((resolve) => {
        wanted = text;
        reached = resolve;
      }),
    release: () => {
      wanted = null;
      for (const write of held ?? []) write();
      held = null;
    },
    close: () => server.close(),
  };
}
