// Where a benchmark stores its runs: its own directory or Redis, in a folder that may be reused.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reservePort } from '../faults/lib/reserve-port.mjs';

/** `kept`: a folder that is not removed afterwards. */
export async function openPlace(store, kept) {
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'culprit-bench-store-'));
  const remove = () => (kept === undefined ? rmSync(directory, { recursive: true, force: true }) : undefined);
  if (store === 'file') {
    const disk = () => Number(spawnSync('du', ['-sk', directory]).stdout.toString().split('\t')[0]) / 1024;
    return { url: `file:${directory}`, facts: () => ({ disk_mb: Math.round(disk()) }), close: remove };
  }
  const port = await reservePort();
  const options = [
    '--port',
    port,
    '--dir',
    directory,
    '--appendonly',
    'yes',
    '--save',
    '',
    '--bind',
    '127.0.0.1',
  ];
  const child = spawn('redis-server', options.map(String), { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const ask = (...words) => spawnSync('redis-cli', ['-p', String(port), ...words]).stdout.toString();
  while (ask('PING').trim() !== 'PONG') await delay(20);
  const memory = () => Number(/^used_memory:(\d+)/m.exec(ask('INFO', 'memory'))?.[1] ?? 0) / 1024 / 1024;
  return {
    url: `redis://127.0.0.1:${port}/0`,
    facts: () => ({ redis_mb: Math.round(memory()) }),
    close: () => {
      if (kept === undefined) child.kill('SIGKILL');
      else ask('SHUTDOWN');
      remove();
    },
  };
}

export const quiet = { debug() {}, info() {}, warn() {}, error: console.error };
