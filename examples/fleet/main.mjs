// Two edges, three cores, one Redis, and one load balancer in front of the cores. Stop with Ctrl-C.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { balance } from './balancer.mjs';

const culprit = join(
  dirname(createRequire(import.meta.url).resolve('@culprit/host/package.json')),
  'dist/bin/culprit.js',
);
const base = Number(process.env.PORT ?? 8100);
const [redis, front, cores, edges] = [base, base + 1, [base + 2, base + 3, base + 4], [base + 5, base + 6]];
const children = [];
let [stopping, balancer] = [false, null];
const start = (command, args, env = {}) => {
  const child = spawn(command, args, {
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
    stdio: 'inherit',
  });
  children.push(child.once('exit', () => !stopping && fail(`${command} ${args[0]} ended`)));
  child.once('error', (error) => fail(error.message));
};
const up = async (url) => {
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok)
    await new Promise((done) => setTimeout(done, 50));
};

mkdirSync('fleet/redis', { recursive: true });
start('redis-server', [
  '--port',
  redis,
  '--bind',
  '127.0.0.1',
  '--dir',
  'fleet/redis',
  '--appendonly',
  'yes',
  '--loglevel',
  'warning',
]);
// All servers have the same secrets. Set your own: these are for trying it out on one machine.
const shared = {
  INTERNAL_GATEWAY_SECRET: process.env.INTERNAL_GATEWAY_SECRET ?? 'fleet-internal-secret',
  SERVICE_TOKENS: `fleet:${process.env.SERVICE_TOKEN ?? 'fleet-service-token'}`,
  REVIEWER_TOKENS: `you:${process.env.REVIEWER_TOKEN ?? 'fleet-reviewer-token'}`,
  AUDIT_KEY: process.env.AUDIT_KEY ?? 'fleet-audit-key-of-32-characters',
  STORAGE_URL: `redis://127.0.0.1:${redis}/0`,
  PUBLIC_URL: `http://127.0.0.1:${front}`,
  CORE_URL: `http://127.0.0.1:${front}`,
};
// Cores share the outbox of issues; each edge has its own disk.
for (const port of cores)
  start(process.execPath, [culprit, 'core'], { ...shared, CORE_PORT: port, DATA_DIR: 'fleet/core' });
for (const port of cores) await up(`http://127.0.0.1:${port}`);
balancer = await balance(cores, front);
for (const port of edges)
  start(process.execPath, [culprit, 'edge'], { ...shared, EDGE_PORT: port, DATA_DIR: `fleet/edge-${port}` });
for (const port of edges) await up(`http://127.0.0.1:${port}`);
console.log(
  `board http://127.0.0.1:${front}/ · edges ${edges.map((port) => `http://127.0.0.1:${port}`).join(' ')}`,
);
process.once('SIGTERM', stop).once('SIGINT', stop);
function stop() {
  stopping = true;
  balancer?.close();
  for (const child of children) child.kill('SIGTERM');
}
function fail(reason) {
  if (!stopping) console.error(`fleet: ${reason}; see above`);
  stop();
  process.exit(1);
}
