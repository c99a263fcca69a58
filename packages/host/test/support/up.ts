import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { crashingRepository } from './crashing-repository.js';
import { BIN } from './run-culprit.js';

export interface Up {
  readonly core: string;
  readonly edge: string;
  readonly data: string;
  /** The process that keeps both servers running. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** `culprit up` on free ports, for a repository `shop` with a crash. `more`: of its environment; `corePort`: instead of a free one. */
export async function up(cwd: string, more: object = {}, corePort = 0): Promise<Up> {
  crashingRepository(join(cwd, 'shop'));
  const ports = ['--edge-port', '0', '--core-port', String(corePort)];
  const args = ['up', '--data', 'data', '--repository', 'shop', ...ports];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...more },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let log = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = await new Promise<{ core: string; edge: string }>((resolve) => {
    child.stdout.on('data', (chunk) => {
      log += String(chunk);
      const found = log.split('\n').find((text) => text.includes('"culprit is up"'));
      if (found !== undefined) resolve(JSON.parse(found));
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { core: line.core, edge: line.edge, data: join(cwd, 'data'), pid: child.pid ?? 0, stop };
}
