import { setMaxListeners } from 'node:events';
import { CulpritError, isCulpritError } from '@culprit/core';
import { semaphore } from '@culprit/core/resilience';
import type { GitConfig } from './config.js';
import { gitEnvironment, globalArguments } from './environment.js';
import { createNeutralDirectories, type NeutralDirectories } from './neutral.js';
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
}

/** `cut`: the output exceeded its limit and is truncated there. */
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
}

export type GitSettings = Pick<GitConfig, 'gitBinary' | 'searchPath' | 'timeoutMs' | 'maxOutputBytes'>;

export function createGit(settings: GitSettings, starter: Starter = createStarter()): Git {
  const limit = semaphore(AT_ONCE);
  const neutral = createNeutralDirectories();
  const environment = gitEnvironment(settings.searchPath);

  const at: Git['at'] = (repository, signal) => {
    // One signal ends many processes, more than Node's threshold for a listener leak.
    setMaxListeners(0, signal);
    const run: GitReader['run'] = (args, call = {}) =>
      limit(async () => {
        const place = await placeFor(neutral, repository, call);
        signal.throwIfAborted();
        const end = await ended(starter, signal, {
          file: settings.gitBinary,
          args: [...globalArguments(place.gitDirectory), ...args],
          cwd: place.gitDirectory,
          env: { ...environment, ...place.environment },
          input: call.input ?? '',
          maxBytes: Math.min(call.maxBytes ?? settings.maxOutputBytes, settings.maxOutputBytes),
          timeoutMs: settings.timeoutMs,
        });
        return outcomeOf(end, args[0] ?? '', settings);
      }, signal);
    const partial: GitReader['partial'] = async (args, call) => {
      const outcome = await run(args, call);
      if (outcome.kind === 'cut') return { stdout: outcome.stdout, cut: true };
      if (outcome.code === 0) return { stdout: outcome.stdout, cut: false };
      throw commandFailed(args[0] ?? '', outcome.code, outcome.stderr);
    };
    const output: GitReader['output'] = async (args, call) => {
      const { stdout, cut } = await partial(args, call);
      if (!cut) return stdout;
      throw tooMuch(args[0] ?? '');
    };
    return { signal, run, output, partial };
  };

  return {
    at,
    close() {
      starter.close();
      return neutral.remove();
    },
  };
}

interface GitDirectory {
  readonly gitDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function placeFor(
  neutral: NeutralDirectories,
  repository: Repository | null,
  call: GitCall,
): Promise<GitDirectory> {
  if (repository === null) return { gitDirectory: await neutral.of('sha1'), environment: {} };
  if (call.refs) return { gitDirectory: repository.gitDirectory, environment: {} };
  const { objects, shallow, format } = repository;
  return {
    gitDirectory: await neutral.of(format),
    environment: {
      GIT_OBJECT_DIRECTORY: objects,
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

function commandFailed(command: string, code: number, stderr: string): CulpritError {
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
