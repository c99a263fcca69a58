import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keyv/redis';
import { removeFolder } from '../../../../bench/faults/lib/folders.mjs';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';

/** The server that the tests start: another version, or Valkey, if this names its binary. */
const PROGRAM = process.env.CULPRIT_REDIS_SERVER ?? 'redis-server';

/** A separate redis-server on a free port on loopback. */
export interface RedisServer {
  readonly port: number;
  /** `redis://…/<database>`. */
  url(database?: number): string;
  /** `kill -9`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends one command. */
  command(...words: string[]): Promise<unknown>;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** `null` if redis-server is not installed. */
export function redisVersion(): string | null {
  try {
    return execFileSync(PROGRAM, ['--version']).toString();
  } catch {
    return null;
  }
}

export async function startRedis(...args: string[]): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-redis-'));
  const port = await reservePort();
  let child: ChildProcess | null = null;
  const url = (database = 0) => `redis://127.0.0.1:${port}/${database}`;
  const command = async (...words: string[]): Promise<unknown> => {
    const client = createClient({ url: url(), socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
  };
  const start = async () => {
    const options = [
      '--port',
      String(port),
      '--dir',
      directory,
      '--bind',
      '127.0.0.1',
      '--databases',
      '1000',
    ];
    // A sentinel demands a file, which it rewrites.
    const file = args.includes('--sentinel') ? [join(directory, 'sentinel.conf')] : [];
    for (const name of file) writeFileSync(name, 'sentinel monitor mymaster 127.0.0.1 9 1\n');
    let said = '';
    // A connection of another program may have the port for a while.
    for (let tries = 0; tries < 100; tries++) {
      const running = spawn(PROGRAM, [...file, ...options, '--save', '', ...args]);
      child = running;
      for (const stream of [running.stdout, running.stderr])
        stream.on('data', (text) => {
          said += text;
        });
      while (running.exitCode === null) {
        if ((await command('PING').catch(() => null)) === 'PONG') return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      if (!/Address already in use/i.test(said)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`redis-server ended:\n${said}`);
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    port,
    url,
    kill,
    start,
    command,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    close: async () => {
      await kill();
      await removeFolder(directory);
    },
  };
}
