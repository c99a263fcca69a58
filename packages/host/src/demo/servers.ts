import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CulpritError } from '@culprit/core';
import { isFree } from '../cli/free-port.js';
import { isUpMessage, type UpMessage } from '../cli/ready-message.js';
import { stopChild } from '../cli/stop-child.js';
import { neutralEnvironment } from '../config/child-env.js';
import { loadConfig } from '../config/load-config.js';

export interface DemoServers {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  /** What serves HTTP, and why it is not the faster one. */
  readonly servedBy: string;
  readonly serviceToken: string;
  readonly hookSecret: string;
  readonly sdkKey: string;
  readonly reviewer: { readonly name: string; readonly token: string };
  /** Process ID of the supervisor, the parent of the servers. */
  readonly pid: number;
  /** Rejects if the servers exit unexpectedly. */
  readonly died: Promise<never>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly dataDirectory: string;
  /** 0 for any free port. */
  readonly edgePort: number;
  /** 0 for any free port. */
  readonly corePort: number;
  /** Path of a local repository, or `owner/name` on `github`. */
  readonly repository: string;
  readonly github?: { readonly token: string; readonly apiUrl: string };
}

/** Longer than `culprit up` waits for its servers, so that its own words come first. */
const READY_MS = 150_000;
const BIN = fileURLToPath(new URL('../bin/culprit.js', import.meta.url));

/** Starts `culprit up` with local settings and waits until both servers are ready. */
export async function startServers(options: ServerOptions): Promise<DemoServers> {
  const { dataDirectory } = options;
  const flags = {
    data: dataDirectory,
    'edge-port': String(options.edgePort),
    'core-port': String(options.corePort),
    repository: options.repository,
  };
  // Generates the secrets, which both servers read from the data directory.
  const { config } = loadConfig({ flags, env: {}, cwd: dataDirectory });
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const log = join(dataDirectory, 'servers.log');
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [BIN, 'up', ...args], {
    cwd: dataDirectory,
    env: { ...neutralEnvironment(), ...githubEnvironment(options) },
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let stopping = false;
  const died = ended.then((): never => {
    if (stopping) return undefined as never;
    throw new CulpritError(
      'internal',
      `The servers exited unexpectedly. End of their log, ${log}:\n${tail(log)}`,
    );
  });
  died.catch(() => undefined);
  const stop = async () => {
    stopping = true;
    await stopChild(child, 15_000);
  };
  const listening = new Promise<UpMessage>((resolve, reject) => {
    const late = setTimeout(() => reject(notReady('culprit up', log)), READY_MS);
    void ended.then(() => clearTimeout(late));
    child.on('message', (message) => {
      if (!isUpMessage(message)) return;
      clearTimeout(late);
      resolve(message);
    });
  });
  const started = async () => {
    const urls = await listening;
    await Promise.all([ready(urls.coreUrl, log), ready(urls.edgeUrl, log)]);
    return urls;
  };
  let urls: UpMessage;
  try {
    urls = await Promise.race([started(), died]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    edgeUrl: urls.edgeUrl,
    coreUrl: urls.coreUrl,
    servedBy: urls.servedBy,
    serviceToken: config.serviceTokens[0]?.token.reveal() ?? '',
    hookSecret: config.trackerHookSecret[0]?.secret.reveal() ?? '',
    sdkKey: config.sdkKeys[0]?.key ?? '',
    reviewer: {
      name: config.reviewerTokens[0]?.name ?? '',
      token: config.reviewerTokens[0]?.token.reveal() ?? '',
    },
    pid: child.pid ?? 0,
    died,
    stop,
  };
}

function githubEnvironment({ github }: ServerOptions): Record<string, string> {
  return github === undefined ? {} : { GITHUB_TOKEN: github.token, GITHUB_API_URL: github.apiUrl };
}

async function ready(url: string, log: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (response?.ok) return;
    await delay(50);
  }
  throw notReady(url, log);
}

function notReady(name: string, log: string): CulpritError {
  return new CulpritError(
    'internal',
    `${name} was not ready within ${READY_MS / 1_000} s. End of its log, ${log}:\n${tail(log)}`,
  );
}

/** The last lines of a log. */
export function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

/** The requested port, otherwise the default one, or 0 (any free port) if that is in use (`moved`). */
export async function choosePort(
  asked: number | null,
  usual: number,
): Promise<{ readonly port: number; readonly moved: boolean }> {
  const wanted = asked ?? usual;
  if (wanted === 0) return { port: 0, moved: false };
  if (await isFree(wanted, '127.0.0.1')) return { port: wanted, moved: false };
  if (asked !== null) {
    throw new CulpritError(
      'configuration',
      `Port ${asked} is already in use. Choose another one, or 0 for any free port.`,
    );
  }
  return { port: 0, moved: true };
}
