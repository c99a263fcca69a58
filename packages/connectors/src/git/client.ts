import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import type { GitConfig } from './config.js';
import { DIFF_OPTIONS, gitEnvironment, globalArguments } from './environment.js';
import { type Graphs, NO_GRAPHS, quotedPath } from './graphs.js';
import { createNeutralDirectories } from './neutral.js';
import { recentCheck } from './opener.js';
import type { ProcessEnd } from './process.js';
import type { Repository } from './repository.js';
import { createStarter, type Starter } from './starter.js';

const AT_ONCE = 4;

export interface GitCall {
  /** Standard input; absent: empty. */
  readonly input?: string;
  /** Lower than the configured limit. */
  readonly maxBytes?: number;
  /**
   * True: the command needs the repository's refs, so git also reads the repository's configuration; only for commands that
   * execute nothing from it. Absent: the command sees only the repository's objects, under our own configuration.
   */
  readonly refs?: true;
  /** True: at the lowest priority. */
  readonly background?: boolean;
  /** In place of the configured limit. */
  readonly timeoutMs?: number;
  /** True: the output of a process that is too slow is what it printed in time, truncated there. */
  readonly keepLate?: true;
  /** Of git's configuration, as `name=value`. */
  readonly settings?: readonly string[];
  /** Where a commit graph is written. */
  readonly graphFolder?: string;
}

/** Commands that answer questions one after another, in processes that stay open: an object by name; a commit's changes. */
const OPEN = {
  objects: ['cat-file', '--batch'],
  changes: [
    'diff-tree',
    '--stdin',
    '--root',
    '-r',
    '-z',
    '--no-commit-id',
    ...DIFF_OPTIONS,
    '--raw',
    '-p',
    '-U3',
  ],
} as const;
/** What each prints for a line that names no object. */
const ECHO: Readonly<Record<OpenCommand, string>> = { objects: ' missing\n', changes: '\n' };
export type OpenCommand = keyof typeof OPEN;

/** `cut`: the output exceeded its limit and is truncated there; with `keepLate` also in time. */
export type GitOutcome =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: 'cut'; readonly stdout: Buffer };

export interface PartialOutput {
  readonly stdout: Buffer;
  readonly cut: boolean;
}

/**
 * Runs git without a shell, in a fixed environment. A process that is too slow, writes too much or is no longer wanted
 * must be killed with everything it started. Rejects with `code_host_unavailable` if git timed out or could not be
 * started, and with the signal's reason.
 */
export interface Git {
  /** For one request. `repository` is `null` for commands that need none. */
  at(repository: Repository | null, signal: AbortSignal): GitReader;
  close(): Promise<void>;
}

/** Runs commands in one repository until the request's signal aborts. */
export interface GitReader {
  readonly signal: AbortSignal;
  run(args: readonly string[], call?: GitCall): Promise<GitOutcome>;
  /** The whole output of a command that must succeed. */
  output(args: readonly string[], call?: GitCall): Promise<Buffer>;
  /** The output of a command that must succeed, truncated at the limit. */
  partial(args: readonly string[], call?: GitCall): Promise<PartialOutput>;
  /** All that an open process prints for these lines, each of which names an object. */
  ask(command: OpenCommand, lines: readonly string[]): Promise<Buffer>;
  /** The same, truncated at a limit. */
  askPartly(command: OpenCommand, lines: readonly string[], maxBytes: number): Promise<PartialOutput>;
}

export type GitSettings = Pick<GitConfig, 'gitBinary' | 'searchPath' | 'timeoutMs' | 'maxOutputBytes'>;

export interface GitTools {
  readonly starter?: Starter;
  readonly graphs?: Graphs;
}

export function createGit(
  settings: GitSettings,
  { starter = createStarter(), graphs = NO_GRAPHS }: GitTools = {},
): Git {
  const limit = semaphore(AT_ONCE);
  const neutral = createNeutralDirectories();
  const environment = gitEnvironment(settings.searchPath);

  const at: Git['at'] = (repository, signal) => {
    // One signal ends many processes, more than Node's threshold for a listener leak.
    setMaxListeners(0, signal);
    const directory = recentCheck(() => neutral.of(repository?.format ?? 'sha1'));
    const graphFolder = recentCheck(async () => repository && graphs.folderOf(repository));
    const start = async (args: readonly string[], call: Call, graph: string | null) => {
      const place = await placeFor(directory.get, repository, call, graph);
      signal.throwIfAborted();
      const { input = '', maxBytes = settings.maxOutputBytes, timeoutMs = settings.timeoutMs } = call;
      const end = await ended(starter, signal, {
        file: settings.gitBinary,
        args: [...globalArguments(place.gitDirectory, call.settings), ...args],
        cwd: place.gitDirectory,
        env: { ...environment, ...place.environment },
        input,
        maxBytes: Math.min(maxBytes, settings.maxOutputBytes),
        timeoutMs,
        ...(call.answerEnds === undefined ? {} : { answerEnds: call.answerEnds }),
        ...(call.background ? { background: true } : {}),
      });
      if (end.kind === 'late' && call.keepLate) return { kind: 'cut', stdout: asBuffer(end.stdout) } as const;
      return outcomeOf(end, args[0] ?? '', { ...settings, timeoutMs });
    };
    const attempt = async (args: readonly string[], call: Call) => {
      const graph = call.graphFolder ?? (call.refs ? null : await graphFolder.get());
      const outcome = await start(args, call, graph);
      if (outcome.kind === 'exited' && outcome.code !== 0) {
        directory.forget();
        graphFolder.forget();
      }
      // A failed build is not repeated: without its folder it would write into the repository.
      if (repository === null || graph === null || call.graphFolder !== undefined || !blamesGraph(outcome))
        return outcome;
      await graphs.drop(repository);
      return start(args, call, null);
    };
    const run = (args: readonly string[], call: Call = {}) =>
      // Nobody waits for what runs in the background, so it takes no place.
      call.background ? attempt(args, call) : limit(() => attempt(args, call), signal);
    const partial: GitReader['partial'] = async (args, call) => partialOf(await run(args, call), args);
    const askPartly: GitReader['askPartly'] = async (command, lines, maxBytes) => {
      // Unknown to the repository's authors, so no content can end the answer early.
      const last = `culprit.${randomUUID()}`;
      const input = [...lines, last].map((line) => `${line}\n`).join('');
      const outcome = await run(OPEN[command], { input, maxBytes, answerEnds: `${last}${ECHO[command]}` });
      return partialOf(outcome, OPEN[command]);
    };
    const ask: GitReader['ask'] = async (command, lines) =>
      wholeOf(await askPartly(command, lines, settings.maxOutputBytes), OPEN[command]);
    const output: GitReader['output'] = async (args, call) => wholeOf(await partial(args, call), args);
    return { signal, run, output, partial, ask, askPartly };
  };

  return {
    at,
    close() {
      starter.close();
      return neutral.remove();
    },
  };
}

type Call = GitCall & { readonly answerEnds?: string };

/** True: git failed because of our commit graph. */
function blamesGraph(outcome: GitOutcome): boolean {
  return outcome.kind === 'exited' && outcome.code !== 0 && /commit-graph/.test(outcome.stderr);
}

function partialOf(outcome: GitOutcome, [command = '']: readonly string[]): PartialOutput {
  if (outcome.kind === 'cut') return { stdout: outcome.stdout, cut: true };
  if (outcome.code === 0) return { stdout: outcome.stdout, cut: false };
  throw commandFailed(command, outcome.code, outcome.stderr);
}

function wholeOf({ stdout, cut }: PartialOutput, [command = '']: readonly string[]): Buffer {
  if (!cut) return stdout;
  throw tooMuch(command);
}

interface GitDirectory {
  readonly gitDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function placeFor(
  neutral: () => Promise<string>,
  repository: Repository | null,
  call: GitCall,
  graph: string | null,
): Promise<GitDirectory> {
  if (repository === null) return { gitDirectory: await neutral(), environment: {} };
  if (call.refs) return { gitDirectory: repository.gitDirectory, environment: {} };
  const { objects, shallow } = repository;
  return {
    gitDirectory: await neutral(),
    environment: {
      ...(graph === null
        ? { GIT_OBJECT_DIRECTORY: objects }
        : { GIT_OBJECT_DIRECTORY: graph, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(objects) }),
      ...(shallow === null ? {} : { GIT_SHALLOW_FILE: shallow }),
    },
  };
}

/** Kills the process and rejects with the signal's reason when it aborts. */
function ended(
  starter: Starter,
  signal: AbortSignal,
  spec: Parameters<Starter['start']>[0],
): Promise<ProcessEnd> {
  const started = starter.start(spec);
  return new Promise((resolve, reject) => {
    const abort = () => {
      started.kill();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    void started.ended.then((end) => {
      signal.removeEventListener('abort', abort);
      resolve(end);
    });
  });
}

function outcomeOf(end: ProcessEnd, command: string, settings: GitSettings): GitOutcome {
  switch (end.kind) {
    case 'exited':
    case 'cut':
      return { ...end, stdout: asBuffer(end.stdout) };
    case 'late':
      throw tookTooLong(command, settings.timeoutMs);
    case 'not_started':
      throw cannotStart(settings, end);
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function tookTooLong(command: string, timeoutMs: number): CulpritError {
  return new CulpritError(
    'code_host_unavailable',
    `git ${command} took longer than ${timeoutMs / 1000} s and was stopped. ` +
      'Try again, or raise timeoutMs of the git connector.',
  );
}

function cannotStart(
  settings: GitSettings,
  { code, message }: Extract<ProcessEnd, { readonly kind: 'not_started' }>,
): CulpritError {
  const detail =
    code === 'ENOENT'
      ? `"${settings.gitBinary}" was not found in ${settings.searchPath}. Install git, or set gitBinary to its full path.`
      : `"${settings.gitBinary}" could not be started (${code ?? message}).`;
  return new CulpritError('code_host_unavailable', detail, { cause: new Error(message) });
}

function tooMuch(command: string): CulpritError {
  return new CulpritError(
    'code_host_unavailable',
    `The output of git ${command} exceeded its limit. Raise maxOutputBytes of the git connector.`,
    { retryable: false },
  );
}

/** What a command that failed rejects with. */
export function commandFailed(command: string, code: number, stderr: string): CulpritError {
  const detail = `git ${command} failed (${code}): ${reasonIn(stderr)}`;
  if (!MISSING.test(stderr)) return new CulpritError('code_host_unavailable', detail);
  return new CulpritError('code_host_unavailable', `${detail}${FETCH_MISSING}`, { reason: MISSING_OBJECTS });
}

const MISSING_OBJECTS = 'missing_objects';
const FETCH_MISSING =
  ' Objects are missing: fetch the whole of a partial clone with "git fetch --refetch --no-filter", or repair the repository with "git fsck".';
/** Matches git's own messages. */
const MISSING = /promisor|not allowed|missing blob|unable to read|bad object/i;

/** True: the clone lacks an object that the command needed. */
export function isMissingContent(error: unknown): boolean {
  return isCulpritError(error) && error.reason === MISSING_OBJECTS;
}

/** The line that states the reason; hints and warnings precede it. */
function reasonIn(text: string): string {
  const lines = text.trim().split('\n');
  const line = lines.find((each) => /^(?:fatal|error):/.test(each)) ?? lines[0] ?? '';
  return line.replace(/\p{Cc}/gu, ' ').slice(0, 300) || 'no reason given';
}
