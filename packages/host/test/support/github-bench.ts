import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cartCrash } from './crashing-repository.js';
import { type Answer, type Ask, httpClient } from './http-client.js';

export const BIN = fileURLToPath(new URL('../../dist/bin/culprit.js', import.meta.url));
const WARP = new URL('../../../../bench/faults/publish/warp.mjs', import.meta.url).href;

export interface CoreChild {
  readonly child: ChildProcess;
  readonly port: number;
  /** An API request of a reviewer. */
  ask(asked: Ask): Promise<Answer>;
  /** Sends a crash to core as the edge does; resolves with its run. */
  deliver(sequence: number, head: string, more?: Delivered): Promise<string>;
  /** All output so far. */
  printed(): string;
  stop(): Promise<void>;
}

/** What differs from the usual crash. */
interface Delivered {
  readonly project?: string;
  readonly message?: string;
}

export interface CoreChildOptions {
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}

/** `culprit core` in its own process. */
export async function startCoreChild({ data, env, aheadMs = 0 }: CoreChildOptions): Promise<CoreChild> {
  const warp = aheadMs === 0 ? [] : ['--import', WARP];
  const child = spawn(process.execPath, [...warp, BIN, 'core', '--data', data, '--core-port', '0'], {
    cwd: data,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'debug', WARP_AHEAD: String(aheadMs), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  const keep = (chunk: unknown) => {
    printed += String(chunk);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    ended.then(() => reject(new Error(`core did not start:\n${printed}`)));
  });
  const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as Record<string, string>;
  const host = `127.0.0.1:${port}`;
  const http = httpClient(port, { host });
  const ask = (asked: Ask) =>
    http({ ...asked, headers: { authorization: `Bearer ${secrets.reviewerToken}`, ...asked.headers } });
  return {
    child,
    port,
    ask,
    printed: () => printed,
    async deliver(sequence, head, { project = 'default', message } = {}) {
      const id = `crash-${sequence}`;
      const delivery = {
        sequence,
        event_id: id,
        project,
        door: 'native',
        tracker: 'native',
        received_at: new Date(Date.now() + aheadMs).toISOString(),
        raw_sha256: '0'.repeat(64),
        headers: {},
        attachments: [],
        redactions: 0,
        crash: cartCrash(id, head, message),
      };
      const { json } = await http({
        method: 'POST',
        path: '/internal/v1/deliveries',
        headers: {
          authorization: `Bearer ${secrets.internalGatewaySecret}`,
          'content-type': 'application/json',
        },
        body: { edge: 'edge-1', deliveries: [delivery] },
      });
      return String(json.outcomes[0].run_id);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
