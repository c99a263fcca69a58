import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Check } from '@culprit/core';
import { type Config, isLoopback, isShared, urlOf } from '../config/config.js';
import { secretsPath } from '../config/generated-secrets.js';
import { makeDirectory } from '../config/make-directory.js';

const SYNCS = 20;
/** The native door answers within 25 ms, and its answer waits for one sync. */
const SLOW_MS = 20;

/** How long the data directory takes to put 4 KiB on disk for good, measured there. */
export function checkDiskSync({ dataDirectory }: Config): Check {
  const file = join(dataDirectory, `.doctor-${process.pid}`);
  try {
    makeDirectory(dataDirectory);
    const times = measure(file).sort((left, right) => left - right);
    const median = times[SYNCS / 2] ?? 0;
    const said = `fdatasync takes ${median.toFixed(1)} ms (median of ${SYNCS}, at most ${(times.at(-1) ?? 0).toFixed(1)} ms)`;
    if (median <= SLOW_MS) return { name: 'disk sync', ok: true, detail: said };
    return {
      name: 'disk sync',
      ok: false,
      optional: true,
      detail: `${said}: doors answer later than 25 ms. Put DATA_DIR on a local disk, an SSD best.`,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name: 'disk sync',
      ok: false,
      detail: `${dataDirectory} cannot be written (${reason}). Give this user the right to, or set DATA_DIR.`,
    };
  }
}

function measure(file: string): number[] {
  const block = Buffer.alloc(4096, 1);
  const handle = openSync(file, 'w', 0o600);
  try {
    return Array.from({ length: SYNCS }, () => {
      writeSync(handle, block);
      const before = performance.now();
      fdatasyncSync(handle);
      return performance.now() - before;
    });
  } finally {
    closeSync(handle);
    rmSync(file, { force: true });
  }
}

/** Room for the spool at its largest. */
export function checkSpace({ dataDirectory, limits }: Config): Check {
  const needed = limits.spoolBytes ?? 1024 ** 3;
  const { bavail, bsize } = statfsSync(dataDirectory);
  const free = bavail * bsize;
  const said = `${gib(free)} GiB free`;
  if (free >= needed) return { name: 'disk space', ok: true, detail: said };
  const detail = `${said}, and the spool may take ${gib(needed)} GiB while core is away. Make room, or lower limits.spoolBytes.`;
  return { name: 'disk space', ok: false, optional: true, detail };
}

const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);

/** What is kept, and who may read it. */
export function checkStorage(config: Config): Check[] {
  const { storageUrl, dataDirectory, retention } = config;
  const forgets = retention === null ? 'kept until you delete it' : 'kept as RETENTION says';
  const sealed = isShared(config) && config.auditKey === null ? '; set AUDIT_KEY to seal histories' : '';
  const kept: Check =
    storageUrl === 'memory:'
      ? {
          name: 'storage policy',
          ok: false,
          optional: true,
          detail: 'memory: runs are lost at every restart. Set STORAGE_URL=file:<dir> to keep them.',
        }
      : { name: 'storage policy', ok: true, detail: `${storageUrl}, ${forgets}${sealed}` };
  return [kept, readers('data directory', dataDirectory, 0o700)];
}

export function checkSecrets(config: Config): Check[] {
  const short = SECRETS.filter(([, read]) => read(config).some((text) => text.length < SHORTEST));
  const names = short.map(([name]) => name).join(', ');
  const strength: Check =
    short.length === 0
      ? { name: 'secrets', ok: true, detail: setOrToBeMade(config) }
      : {
          name: 'secrets',
          ok: false,
          detail: `${names}: shorter than ${SHORTEST} characters, so they can be guessed. Make new ones: openssl rand -hex 32`,
        };
  return [strength, readers('secrets file', secretsPath(config), 0o600)];
}

function setOrToBeMade(config: Config): string {
  const absent = SECRETS.filter(([, read]) => read(config).length === 0).map(([name]) => name);
  const rest = `none shorter than ${SHORTEST} characters`;
  if (absent.length === 0) return `set, ${rest}`;
  const names = absent.join(', ');
  return isLoopback(config.host)
    ? `${rest}; to be made by culprit up: ${names}`
    : `${rest}; not set: ${names}`;
}

const SHORTEST = 16;
const SECRETS: readonly (readonly [string, (config: Config) => readonly string[]])[] = [
  ['INTERNAL_GATEWAY_SECRET', ({ internalSecrets }) => internalSecrets.map((one) => one.reveal())],
  ['TRACKER_HOOK_SECRET', ({ hookSecrets }) => hookSecrets.map(({ secret }) => secret.reveal())],
  ['SERVICE_TOKENS', ({ serviceTokens }) => serviceTokens.map(({ token }) => token.reveal())],
  ['REVIEWER_TOKENS', ({ reviewers }) => reviewers.map(({ token }) => token.reveal())],
];

function readers(name: string, path: string, mode: number): Check {
  const found = existsSync(path) ? statSync(path) : undefined;
  if (found === undefined) return { name, ok: true, detail: `${path} is not there yet` };
  if ((found.mode & 0o077) === 0) return { name, ok: true, detail: `${path}, readable by its owner alone` };
  const optional = mode === 0o600 ? {} : { optional: true as const };
  return {
    name,
    ok: false,
    ...optional,
    detail: `${path} can be read by other users. Run: chmod ${mode.toString(8)} ${path}`,
  };
}

/** Free, or taken by Culprit itself. */
export async function checkPort(
  name: string,
  host: string,
  port: number,
): Promise<Check & { running: boolean }> {
  if (port === 0) return { name, ok: true, running: false, detail: 'any free port' };
  const url = urlOf(host, port);
  if (await isFree(host, port)) return { name, ok: true, running: false, detail: `${url} is free` };
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
    .then((response): Promise<unknown> => response.json())
    .catch(() => null);
  if (JSON.stringify(answer) === '{"status":"ok"}')
    return { name, ok: true, running: true, detail: `${url} is served already` };
  const variable = name === 'edge port' ? 'EDGE_PORT' : 'CORE_PORT';
  const detail = `${url} is taken by another program, or is no address of this machine. Stop it, or set ${variable} or HOST.`;
  return { name, ok: false, running: false, detail };
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Signatures carry times, and are refused when they are minutes off. */
const MOST_OFF_MS = 60_000;

/** Against the code host's clock where there is one; without, only what cannot be is seen. */
export async function checkClock({ github }: Config, now: () => number): Promise<Check> {
  const name = 'clock';
  const fix = 'Set the clock, and keep it set: timedatectl set-ntp true';
  if (now() < Date.parse('2026-01-01')) return { name, ok: false, detail: `It stands before 2026. ${fix}` };
  if (github.token === null) {
    return { name, ok: true, detail: `${new Date(now()).toISOString()}; nothing to compare it with` };
  }
  const url = github.apiUrl ?? 'https://api.github.com';
  const before = now();
  const date = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5_000) })
    .then(({ headers }) => Date.parse(headers.get('date') ?? ''))
    .catch(() => Number.NaN);
  if (Number.isNaN(date)) return { name, ok: true, detail: `not compared: ${url} tells no time` };
  const off = Math.abs((before + now()) / 2 - date);
  const said = `${(off / 1000).toFixed(0)} s apart from ${new URL(url).host}`;
  return off <= MOST_OFF_MS
    ? { name, ok: true, detail: said }
    : { name, ok: false, detail: `${said}. ${fix}` };
}
