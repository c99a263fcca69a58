import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Check, isCulpritError } from '@culprit/core';
import { usedHosts } from '../compose/core-parts.js';
import { withoutEffect } from '../compose/storage.js';
import { type Config, isInFiles } from '../config/config.js';
import { auditKeyPath, auditKeyProblem, knownAuditKey } from '../config/generated-secrets.js';
import { isLoopback, urlOf } from '../config/network.js';
import { commandName } from '../config/own-name.js';
import { sharedFiles } from '../config/private-files.js';
import { SETTING_KEYS } from '../config/read-config.js';
import { readRunning } from '../config/running.js';
import type { Secret } from '../config/secret.js';
import { SETTINGS } from '../config/settings.js';
import { shellWord } from '../config/shell-word.js';
import { EDGE_LIMITS } from '../edge/limits.js';
import { chooseDriver, servedBy } from '../http/choose-driver.js';
import { UNGUESSABLE_CHARS } from '../server/reviewers.js';
import { rated } from './checks.js';
import { isFree } from './free-port.js';

const SYNCS = 20;
/** The native door answers within 25 ms, and its answer waits for one sync. */
const SLOW_MS = 20;

/**
 * The machine and what is stored on it. `usable`: the data directory can be written to. `externalStore`: the connector that
 * replaces the storage of `STORAGE_URL`.
 */
export async function checkMachine(
  config: Config,
  externalStore: string | null = null,
): Promise<{ readonly checks: readonly Check[]; readonly usable: boolean }> {
  const write = checkWriting(config);
  const [clock, http, ...disk] = await Promise.all([
    checkClock(clockUrl(config), Date.now),
    checkHttp(config),
    ...(write.ok ? [checkDiskSync(config)] : []),
  ]);
  const { path, isThere } = config.settingsFile;
  const from = isThere ? `settings from ${path}` : `there is no ${path}`;
  const detail = `valid; data in ${config.dataDirectory}; ${from}`;
  const configuration = { name: 'configuration', ok: true, detail };
  const checks = [configuration, ...checkFiles(config, externalStore, write), http, clock, ...disk];
  return { checks: checks.map(rated), usable: write.ok };
}

/** What is quick and asks nobody: `up` checks it before it starts. */
export function checkFiles(
  config: Config,
  externalStore: string | null = null,
  write: Check = checkWriting(config),
): readonly Check[] {
  return [
    ...config.warnings.map((detail): Check => ({ name: 'settings', ok: false, detail })),
    ...checkSecrets(config),
    write,
    ...(write.ok ? [checkSpace(config)] : []),
    ...(externalStore === null ? checkStorage(config) : [checkExternalStore(config, externalStore)]),
    readers('data directory', config.dataDirectory, 0o700),
    checkRights(config),
  ].map(rated);
}

/** Whether this user can create files in the data directory, or in its closest existing parent. Leaves none. */
function checkWriting({ dataDirectory }: Config): Check {
  const name = 'write access';
  try {
    const file = doctorFile(dataDirectory);
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    rmSync(file, { force: true });
    return { name, ok: true, detail: dataDirectory };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = `Cannot write to ${dataDirectory} (${reason}). Give this user permission, or set DATA_DIR.`;
    return { name, ok: false, detail };
  }
}

const doctorFile = (directory: string) => join(existingParent(directory), `.doctor-${randomUUID()}`);

/** What serves HTTP on this machine. The slower server is no fault. */
async function checkHttp({ httpDriver }: Config): Promise<Check> {
  const name = 'http server';
  try {
    return { name, ok: true, detail: servedBy(await chooseDriver(httpDriver)) };
  } catch (error) {
    if (!isCulpritError(error, 'configuration')) throw error;
    return { name, ok: false, detail: error.message };
  }
}

/** An invalid combination of settings is reported once, by the connectors’ check. */
export function builtInHosts(config: Config): ReturnType<typeof usedHosts> {
  try {
    return usedHosts(config);
  } catch (error) {
    if (isCulpritError(error, 'configuration')) return [];
    throw error;
  }
}

function clockUrl(config: Config): string | null {
  return builtInHosts(config).flatMap(({ host }) => host.clockUrl?.(config) ?? [])[0] ?? null;
}

/** How long an fdatasync of 4 KiB takes in the data directory, or in its closest existing parent. Leaves no file. */
export async function checkDiskSync({ dataDirectory }: Config): Promise<Check> {
  const name = 'disk sync';
  const times = (await measure(doctorFile(dataDirectory))).sort((left, right) => left - right);
  const median = times[SYNCS / 2] ?? 0;
  const measured = `fdatasync takes ${median.toFixed(1)} ms (median of ${SYNCS}, at most ${(times.at(-1) ?? 0).toFixed(1)} ms)`;
  if (median <= SLOW_MS) return { name, ok: true, detail: measured };
  const detail = `${measured}, so doors answer later than 25 ms. Put DATA_DIR on a local disk, preferably an SSD.`;
  return { name, ok: false, detail };
}

/** The path itself, or its closest existing parent. */
function existingParent(path: string): string {
  return existsSync(path) ? path : existingParent(dirname(path));
}

/** Off the main thread, because a running core measures, too. */
async function measure(file: string): Promise<number[]> {
  const block = Buffer.alloc(4096, 1);
  const handle = await open(file, 'w', 0o600);
  const times: number[] = [];
  try {
    for (let count = 0; count < SYNCS; count += 1) {
      await handle.write(block);
      const before = performance.now();
      await handle.datasync();
      times.push(performance.now() - before);
    }
    return times;
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

/** Is there space for a full spool? */
function checkSpace({ dataDirectory, limits }: Config): Check {
  const needed = limits.spoolBytes ?? EDGE_LIMITS.spoolBytes;
  const { bavail, bsize } = statfsSync(existingParent(dataDirectory));
  const free = bavail * bsize;
  const measured = `${gib(free)} GiB free`;
  if (free >= needed) return { name: 'disk space', ok: true, detail: measured };
  const detail = `${measured}, and the spool may grow to ${gib(needed)} GiB while core is down. Free space, or lower limits.spoolBytes.`;
  return { name: 'disk space', ok: false, detail };
}

const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);

/** Where runs are stored, for how long, and what seals them. */
function checkStorage(config: Config): Check[] {
  const { storageUrl, retention } = config;
  const kept = retention === null ? 'kept until you delete them' : 'deleted according to RETENTION';
  const lost = 'memory: runs are lost at every restart. Set STORAGE_URL=file:<dir> to store them.';
  const policy: Check =
    storageUrl === 'memory:'
      ? { name: 'storage policy', ok: false, detail: lost }
      : { name: 'storage policy', ok: true, detail: `${storageUrl}; runs are ${kept}` };
  return [policy, checkAuditKey(config)];
}

function checkExternalStore(config: Config, store: string): Check {
  const name = 'storage policy';
  const unused = withoutEffect(config);
  if (unused === '') return { name, ok: true, detail: `of ${store}, by its own configuration` };
  const detail = `${store} replaces STORAGE_URL. Without effect: ${unused}. Set in "connectors" what ${store} has instead.`;
  return { name, ok: false, detail };
}

/** A database or a backup may have created files with more rights than ours have. */
function checkRights({ dataDirectory }: Config): Check {
  const name = 'data files';
  const shared = sharedFiles(dataDirectory).map((path) => relative(dataDirectory, path));
  if (shared.length === 0) return { name, ok: true, detail: 'readable only by their owner' };
  const names = `${shared.slice(0, 5).join(', ')}${shared.length > 5 ? ` and ${shared.length - 5} more` : ''}`;
  const detail = `Other users can read or change ${names}. Core and edge fix this when they start, or run: chmod -R go= ${shellWord(dataDirectory)}`;
  return { name, ok: false, detail };
}

function checkAuditKey(config: Config): Check {
  const ok = (detail: string): Check => ({ name: 'audit key', ok: true, detail });
  if (config.auditKey !== null) return ok('from AUDIT_KEY');
  if (!isInFiles(config)) return ok('none; set AUDIT_KEY to seal histories');
  const problem = auditKeyProblem(config);
  if (problem !== null) return { name: 'audit key', ok: false, detail: problem };
  const path = auditKeyPath(config);
  if (knownAuditKey(config) === null)
    return ok(`${path} does not exist yet; core generates it when it starts`);
  return ok(
    `${path}, next to the data: anyone who can write there can change a history and seal it again. To detect this as well, store the key elsewhere and pass it in AUDIT_KEY.`,
  );
}

function checkSecrets(config: Config): Check[] {
  const own = SETTING_KEYS.filter((key) => SETTINGS[key].generated !== undefined && SETTINGS[key].secret);
  const namesOf = (matches: (secrets: readonly string[]) => boolean) =>
    own
      .filter((key) => matches(secretsIn(config[key])))
      .map((key) => SETTINGS[key].env)
      .join(', ');
  const short = namesOf((secrets) => secrets.some((text) => text.length < UNGUESSABLE_CHARS));
  const missing = namesOf((secrets) => secrets.length === 0);
  const weak = `${short}: shorter than ${UNGUESSABLE_CHARS} characters, so they can be guessed. Generate new ones: openssl rand -hex 32`;
  const detail = short === '' ? describeSecrets(config, missing) : weak;
  const strength: Check = { name: 'secrets', ok: short === '', detail };
  return [strength, ...(config.envFile === null ? [] : [readers('env file', config.envFile, 0o600)])];
}

function describeSecrets({ host }: Config, missing: string): string {
  const rest = `all have at least ${UNGUESSABLE_CHARS} characters`;
  if (missing === '') return rest;
  return isLoopback(host)
    ? `${rest}; ${commandName()} up generates ${missing}`
    : `${rest}; not set: ${missing}`;
}

/** The secrets in a setting's value: in a list, alone or under a name. */
function secretsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry: Secret | { readonly secret: Secret } | { readonly token: Secret }) =>
    ('secret' in entry ? entry.secret : 'token' in entry ? entry.token : entry).reveal(),
  );
}

function readers(name: string, path: string, mode: number): Check {
  const found = existsSync(path) ? statSync(path) : undefined;
  if (found === undefined) return { name, ok: true, detail: `${path} does not exist yet` };
  if ((found.mode & 0o077) === 0) return { name, ok: true, detail: `${path}, readable only by its owner` };
  const detail = `Other users can read ${path}. Run: chmod ${mode.toString(8)} ${shellWord(path)}`;
  return { name, ok: false, detail };
}

/** `running`: the address of this data directory's own server. */
type PortCheck = { readonly check: Check; readonly running: string | null };

/** Whether the server can start: its port is free. `doctor` also accepts the one that runs in the data directory, on any port. */
export async function checkServer(role: 'core' | 'edge', config: Config): Promise<PortCheck> {
  const name = `${role} port`;
  const note = readRunning(config.dataDirectory, role);
  if (note?.alive && (await isCulprit(note.url)))
    return {
      check: { name, ok: true, detail: `Culprit is already running at ${note.url}` },
      running: note.url,
    };
  return { check: { name, ...(await checkPort(`${role}Port`, config)) }, running: null };
}

async function checkPort(key: 'edgePort' | 'corePort', config: Config): Promise<Omit<Check, 'name'>> {
  const port = config[key];
  if (port === 0) return { ok: true, detail: 'any free port' };
  const url = urlOf(config.host, port);
  if (await isFree(port, config.host)) return { ok: true, detail: `${url} is free` };
  const { env, flag } = SETTINGS[key];
  const detail = (await isCulprit(url))
    ? `${url} is in use by a Culprit with another data directory than ${config.dataDirectory}. To use that one, set DATA_DIR (--data). To start another, set ${env} (up --${flag}).`
    : `${url} is in use by another program, or is not an address of this machine. Stop that program, or set ${env} (up --${flag}) or HOST.`;
  return { ok: false, detail };
}

async function isCulprit(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
    .then((response): Promise<unknown> => response.json())
    .catch(() => null);
  return JSON.stringify(answer) === '{"status":"ok"}';
}

/** Signatures carry times, and are rejected when those are minutes off. */
const MAX_OFF_MS = 60_000;

/** Compares with the Date header of `url`, the code host's; without it only an impossible time is detected. */
export async function checkClock(url: string | null, now: () => number): Promise<Check> {
  const name = 'clock';
  const fix = 'Synchronise it: timedatectl set-ntp true';
  if (now() < Date.parse('2026-01-01'))
    return { name, ok: false, detail: `The clock is before 2026. ${fix}` };
  if (url === null)
    return { name, ok: true, detail: `${new Date(now()).toISOString()}; nothing to compare it with` };
  const before = now();
  const date = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5_000) })
    .then(({ headers }) => Date.parse(headers.get('date') ?? ''))
    .catch(() => Number.NaN);
  if (Number.isNaN(date)) return { name, ok: true, detail: `not compared: ${url} sent no Date` };
  const off = Math.abs((before + now()) / 2 - date);
  const detail = `${(off / 1000).toFixed(0)} s off ${new URL(url).host}`;
  return off <= MAX_OFF_MS ? { name, ok: true, detail } : { name, ok: false, detail: `${detail}. ${fix}` };
}
