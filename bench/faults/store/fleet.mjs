// Three cores on one Redis behind a load balancer, and two edges, as processes that can be killed and restarted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { balance } from '../../../examples/fleet/balancer.mjs';
import { reservePort } from '../lib/reserve-port.mjs';

const CULPRIT = fileURLToPath(new URL('../../../packages/host/dist/bin/culprit.js', import.meta.url));
export const REVIEWER = 'fleet-reviewer-token';
const SECRETS = {
  INTERNAL_GATEWAY_SECRET: 'fleet-internal-secret',
  SERVICE_TOKENS: 'fleet:fleet-service-token',
  REVIEWER_TOKENS: `you:${REVIEWER}`,
  AUDIT_KEY: 'fleet-audit-key-of-32-characters',
};

/** A process that is started, killed and restarted on the same port. */
class Process {
  #child = null;
  constructor(name, command, args, env, log) {
    Object.assign(this, { name, command, args, env, log });
  }
  get running() {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }
  start(args = this.args) {
    const options = {
      env: { ...process.env, LOG_LEVEL: 'warn', QUOTAS: 'off', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    };
    const child = spawn(this.command, args, options);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => appendFileSync(this.log, `${this.name}: ${text}`));
    }
    this.#child = child;
    process.once('exit', () => child.kill('SIGKILL'));
  }
  async kill(signal = 'SIGKILL') {
    if (!this.running) return false;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
    return true;
  }
}

/** `storage` is `redis` or `file`; a file has one core. */
export async function startFleet(data, storage = 'redis') {
  mkdirSync(join(data, 'redis'), { recursive: true });
  const log = join(data, 'fleet.log');
  const redisPort = await reservePort();
  const frontPort = await reservePort();
  const url = `http://127.0.0.1:${frontPort}`;
  const common = {
    ...SECRETS,
    STORAGE_URL: storage === 'redis' ? `redis://127.0.0.1:${redisPort}/0` : `file:${join(data, 'core')}`,
    REPOSITORY: join(data, 'webshop'),
    PUBLIC_URL: url,
    CORE_URL: url,
  };
  const redisArgs = ['--port', String(redisPort), '--dir', join(data, 'redis'), '--save', ''];
  const redis = new Process('redis', 'redis-server', [...redisArgs, '--appendonly', 'yes'], {}, log);
  const make = (kind, port, directory) => {
    const env = { ...common, [`${kind.toUpperCase()}_PORT`]: String(port), DATA_DIR: join(data, directory) };
    const made = new Process(`${kind}:${port}`, process.execPath, [CULPRIT, kind], env, log);
    return Object.assign(made, { port, url: `http://127.0.0.1:${port}` });
  };
  const cores = [];
  for (let n = 0; n < (storage === 'redis' ? 3 : 1); n += 1)
    cores.push(make('core', await reservePort(), 'core'));
  const edges = [make('edge', await reservePort(), 'edge-1'), make('edge', await reservePort(), 'edge-2')];
  if (storage === 'redis') redis.start();
  for (const core of cores) core.start();
  for (const core of cores) await ready(core.url);
  const balancer = await balance(
    cores.map(({ port }) => port),
    frontPort,
  );
  for (const edge of edges) edge.start();
  for (const edge of edges) await ready(edge.url);
  return {
    ...{ url, redis, cores, edges, data, log, make, redisArgs, redisPort },
    async stop() {
      balancer.close();
      for (const one of [...edges, ...cores]) await one.kill('SIGTERM');
      await redis.kill();
    },
  };
}

export async function ready(url, wanted = true) {
  await within(`${url} becomes ${wanted ? 'ready' : 'unready'}`, async () => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    return answer?.ok === wanted;
  });
}

/** Another Redis takes over with the state saved when `lose` began: all later writes are lost. */
export async function failOver(fleet, lose) {
  await within('Redis saves', () => command(fleet, 'SAVE'));
  await lose();
  await fleet.redis.kill();
  const place = join(fleet.data, 'redis/appendonlydir');
  rmSync(`${place}.lost`, { recursive: true, force: true });
  if (existsSync(place)) renameSync(place, `${place}.lost`);
  fleet.redis.start([...fleet.redisArgs, '--appendonly', 'no']);
  // Its append-only file has to be created while it holds the state: a start with an empty file would start empty.
  await within('Redis turns on its append-only file', () =>
    command(fleet, 'CONFIG', 'SET', 'appendonly', 'yes'),
  );
  const begun = () => existsSync(place) && readdirSync(place).some((name) => name.endsWith('.manifest'));
  await within('the append-only file exists', begun);
}

/** Whether Redis succeeded: redis-cli exits with 0 even for errors such as LOADING. */
export async function command(fleet, ...words) {
  const child = spawn('redis-cli', ['-p', String(fleet.redisPort), ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (await text(child.stdout)).trim() === 'OK';
}

/** Polls until `holds` returns true. */
export async function within(what, holds, ms = 300_000) {
  for (const end = performance.now() + ms; !(await holds()); await delay(50)) {
    if (performance.now() > end) throw new Error(`not within ${ms / 1_000} s: ${what}`);
  }
}
