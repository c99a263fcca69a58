import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { NOT_COPIED } from '@culprit/core/internal/ports/code-host';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import * as v from 'valibot';
import { gitConfig } from './config.js';
import { gitEnvironment, globalArguments } from './environment.js';
import type { ObjectFormat } from './neutral.js';
import { createProcesses, type ProcessEnd } from './process.js';

/** What `--unshallow` stands for; git refuses that word where nothing is missing. */
const WHOLE_HISTORY = '--depth=2147483647';
/** Packs of a mirror before they are joined into one. */
const MANY_PACKS = 50;
const MAX_REPOSITORIES = 1_024;
const UNFINISHED = '.new';
const UNFINISHED_NAME = /\.new$/;
const DAY_MS = 24 * 60 * 60_000;
/** Longer than a fetch may take. */
const ABANDONED_MS = DAY_MS;
/** How often the size of a copy is looked at while it is fetched. */
const LOOK_MS = 2_000;
const BRANCHES_AND_TAGS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Where a repository is fetched from. */
export interface MirrorSource {
  /** `https://HOST/OWNER/NAME.git`, without credentials. */
  readonly url: string;
  /** The value of the header `Authorization`. Git receives it in its environment, never as an argument or in a file. */
  readonly authorization: string;
  /** The default branch. */
  readonly branch: string;
  readonly format: ObjectFormat;
  /** As far as the host knows its size. */
  readonly megabytes?: number | undefined;
}

/** How repositories are copied. */
export interface MirrorOptions {
  /** Folder of the mirrors; created if missing. Relative to the current folder. */
  readonly directory: string;
  /** Time limit of one fetch. */
  readonly timeoutMs: number;
  /** A larger repository is not copied: it rejects with the reason `NOT_COPIED`. Default: no limit. */
  readonly maxMb?: number | undefined;
  /** A copy that was not used for so long is deleted when another one is fetched. Default: none is. */
  readonly maxDays?: number | undefined;
  readonly gitBinary?: string;
  readonly searchPath?: string;
}

/** Bare copies of repositories of another host, which the git connector reads. */
export interface Mirrors {
  /** The path of a repository's copy. It may not exist yet. `name`: letters, digits, `.`, `_`, `-` and `/`. */
  pathOf(name: string): string;
  exists(name: string): Promise<boolean>;
  /** The copy answered a question, so it is kept for longer. A fetch counts, too. */
  used(name: string): Promise<void>;
  /**
   * Fetches what is new, and removes branches and tags that no longer exist; their commits stay. One fetch for a repository runs at a
   * time: callers wait for it together, and it continues when a caller's signal aborts, so that a large repository is there the next
   * time. Rejects like a `CodeHost`.
   */
  fetch(name: string, source: () => Promise<MirrorSource>, signal: AbortSignal): Promise<void>;
  /** When the last fetch ended, in milliseconds since 1970; `null`: none in this process. */
  fetchedAt(name: string): number | null;
  /** Stops the fetches. */
  close(): Promise<void>;
}

/** Copies are fetched by git over http or https. */
export function createMirrors(given: MirrorOptions): Mirrors {
  // Git runs in another folder.
  const options = { ...given, directory: resolve(given.directory) };
  const running = new Map<string, Promise<void>>();
  const ended = boundedMap<string, number>(MAX_REPOSITORIES);
  const stop = new AbortController();
  const run = gitRunner(options, stop.signal);
  const pathOf = (name: string) => join(options.directory, `${folderName(name)}.git`);
  const used = async (name: string) => {
    const now = new Date();
    await utimes(pathOf(name), now, now).catch(() => {});
  };
  const work = async (name: string, source: () => Promise<MirrorSource>) => {
    const from = await source();
    const path = pathOf(name);
    if (options.maxMb !== undefined && (from.megabytes ?? 0) > options.maxMb)
      throw tooLarge(from.url, options.maxMb);
    if (await isFolder(path)) {
      await removeTemporary(path, options.timeoutMs);
      await update(run, path, from);
    } else await create(run, path, from);
    await used(name);
    ended.set(name, Date.now());
    if (options.maxDays !== undefined) await removeOld(options.directory, /\.git$/, options.maxDays * DAY_MS);
  };
  return {
    pathOf,
    exists: (name) => isFolder(pathOf(name)),
    used,
    fetch(name, source, signal) {
      signal.throwIfAborted();
      const current = running.get(name) ?? work(name, source).finally(() => running.delete(name));
      running.set(name, current);
      // Nobody may be waiting any more when it fails.
      current.catch(() => {});
      return untilAborted(current, signal);
    },
    fetchedAt: (name) => ended.get(name) ?? null,
    async close() {
      stop.abort(new CulpritError('code_host_unavailable', 'The connector is closed.'));
      await Promise.allSettled(running.values());
    },
  };
}

/** `acme/shop` becomes `acme+shop`: names contain no `+`. Hosts do not distinguish case. */
function folderName(name: string): string {
  if (!/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)+$/.test(name))
    throw new CulpritError(
      'repository_not_found',
      `${JSON.stringify(name.slice(0, 100))} is not owner/name.`,
    );
  return name.toLowerCase().replaceAll('/', '+');
}

type Run = (path: string, args: readonly string[], source?: MirrorSource) => Promise<void>;

/** A mirror appears by one rename, so that a crash leaves no half of one under its name. */
async function create(run: Run, path: string, source: MirrorSource): Promise<void> {
  const made = `${path}.${randomUUID()}${UNFINISHED}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await removeOld(dirname(path), UNFINISHED_NAME, ABANDONED_MS);
    await run(made, ['init', '--quiet', '--bare', '--template=', `--object-format=${source.format}`]);
    await update(run, made, source);
    await rename(made, path).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was first.
      if (!(await isFolder(path))) throw error;
    });
  } catch (error) {
    throw isCulpritError(error) ? error : notWritten(path, error);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** What a fetch that was killed left: none that runs has written it longer ago than its time limit. It would count as size for ever. */
function removeTemporary(repository: string, timeoutMs: number): Promise<void> {
  return removeOld(join(repository, 'objects', 'pack'), /^\.?tmp[-_]/, timeoutMs);
}

async function removeOld(directory: string, names: RegExp, ms: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    if (names.test(name) && (await isOlderThan(path, ms))) await rm(path, { recursive: true, force: true });
  }
}

async function isOlderThan(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ms;
}

/** A lock that a crash left behind. */
const LOCK = /Unable to create '([^']+\.lock)': File exists/;

/** Repeats a fetch once without the lock if no fetch can hold it any more. */
async function update(run: Run, path: string, source: MirrorSource): Promise<void> {
  try {
    await fetchInto(run, path, source);
  } catch (error) {
    const lock = resolve(LOCK.exec(String(error))?.[1] ?? '');
    if (!lock.startsWith(`${resolve(path)}/`) || !(await isOlderThan(lock, ABANDONED_MS))) throw error;
    await rm(lock, { force: true });
    await fetchInto(run, path, source);
  }
}

async function fetchInto(run: Run, path: string, source: MirrorSource): Promise<void> {
  const options = [
    '--quiet',
    '--prune',
    '--force',
    '--update-head-ok',
    '--no-write-fetch-head',
    '--no-auto-gc',
    // A repository that is itself shallow has no other branches; once it is deepened, the copy is.
    '--update-shallow',
    ...(existsSync(join(path, 'shallow')) ? [WHOLE_HISTORY] : []),
  ];
  await run(path, ['fetch', ...options, '--', source.url, ...BRANCHES_AND_TAGS], source);
  await run(path, ['symbolic-ref', 'HEAD', `refs/heads/${source.branch}`]);
  const files = await readdir(join(path, 'objects', 'pack')).catch(() => []);
  // Commits that no branch contains any more stay, because a crash may still name them.
  if (files.filter((file) => file.endsWith('.pack')).length > MANY_PACKS)
    await run(path, ['repack', '-a', '-d', '--keep-unreachable', '--quiet']);
}

/** Runs git where only http and https are allowed, without redirects. The helper process of `client.ts` repeats commands, so it is not used. */
function gitRunner(options: MirrorOptions, stop: AbortSignal): Run {
  const { gitBinary, searchPath } = v.parse(gitConfig, {
    ...(options.gitBinary === undefined ? {} : { gitBinary: options.gitBinary }),
    ...(options.searchPath === undefined ? {} : { searchPath: options.searchPath }),
  });
  const { timeoutMs, maxMb } = options;
  const processes = createProcesses();
  return async (path, args, source) => {
    stop.throwIfAborted();
    const started = processes.start({
      file: gitBinary,
      args: [...globalArguments(path, ['fetch.unpackLimit=1', 'http.followRedirects=false']), ...args],
      cwd: dirname(path),
      env: { ...gitEnvironment(searchPath), ...(source === undefined ? {} : network(source)) },
      input: '',
      maxBytes: 1024 * 1024,
      timeoutMs,
    });
    const large = new AbortController();
    const ended = AbortSignal.any([stop, large.signal]);
    const kill = () => started.kill();
    ended.addEventListener('abort', kill, { once: true });
    const look = async () => {
      if (source !== undefined && maxMb !== undefined && (await megabytesOf(path)) > maxMb)
        large.abort(tooLarge(source.url, maxMb));
    };
    const looking = setInterval(() => void look(), LOOK_MS);
    try {
      const end = await untilAborted(started.ended, ended);
      const failure = failureOf(end, args[0] ?? '', timeoutMs, source?.url);
      if (failure !== null) throw failure;
      await look();
      ended.throwIfAborted();
    } finally {
      clearInterval(looking);
      ended.removeEventListener('abort', kill);
    }
  };
}

function network({ url, authorization }: MirrorSource): Record<string, string> {
  return {
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
}

function failureOf(
  end: ProcessEnd,
  command: string,
  timeoutMs: number,
  url = 'the repository',
): CulpritError | null {
  const unavailable = (detail: string) => new CulpritError('code_host_unavailable', detail);
  if (end.kind === 'late')
    return unavailable(`git ${command} of ${url} took longer than ${timeoutMs / 1000} s.`);
  if (end.kind === 'not_started')
    return unavailable(`git could not be started (${end.code ?? end.message}).`);
  if (end.kind === 'cut') return unavailable(`git ${command} of ${url} printed too much.`);
  if (end.code === 0) return null;
  const lines = end.stderr.trim().split('\n');
  const line = lines.find((one) => /^(?:fatal|error|remote):/.test(one)) ?? lines[0] ?? '';
  const reason = line.replace(/\p{Cc}/gu, ' ').slice(0, 300) || 'no reason given';
  const detail = `git ${command} of ${url} failed: ${reason}`;
  if (/Authentication failed|could not read Username|error: 40[13]\b/i.test(end.stderr))
    return new CulpritError('code_host_forbidden', detail);
  if (/not found|error: 404\b/i.test(end.stderr)) return new CulpritError('repository_not_found', detail);
  return unavailable(detail);
}

/** Of its packs, unfinished ones included. */
async function megabytesOf(repository: string): Promise<number> {
  const directory = join(repository, 'objects', 'pack');
  const names = await readdir(directory).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => null)));
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0) / 1_000_000;
}

function tooLarge(url: string, maxMb: number): CulpritError {
  return new CulpritError(
    'code_host_unavailable',
    `${url} is larger than ${maxMb} MB, so it is not copied.`,
    { retryable: false, reason: NOT_COPIED },
  );
}

function notWritten(path: string, cause: unknown): CulpritError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new CulpritError('code_host_unavailable', `The copy at ${path} could not be written (${code}).`, {
    cause,
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
