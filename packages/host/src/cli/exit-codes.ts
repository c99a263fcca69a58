import type { CulpritError, ErrorCode } from '@culprit/core';
import { suggest } from '../config/setting.js';

/** How a command ends. The meaning of a number never changes. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  unreachable: 5,
  conflict: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Success. Every check passed.',
  failed: 'A check failed, a digest differs, an issue was changed, or an error occurred.',
  usage: 'Invalid command line, or a value that the command rejects.',
  notFound: 'Run, file or issue not found.',
  refused: 'The token is missing or was rejected.',
  unreachable: 'The server is unreachable.',
  conflict:
    'The run’s state does not allow it, the draft has changed, or another reviewer has claimed the run.',
  interrupted: 'Stopped by Ctrl-C before it was done. A server and `listen` end with 0.',
};

const BY_CODE: Partial<Record<ErrorCode | 'unreachable', ExitCode>> = {
  unreachable: EXIT.unreachable,
  run_not_found: EXIT.notFound,
  repository_not_found: EXIT.notFound,
  revision_not_found: EXIT.notFound,
  not_found: EXIT.notFound,
  unauthenticated: EXIT.refused,
  forbidden: EXIT.refused,
  host_refused: EXIT.refused,
  state_conflict: EXIT.conflict,
  claimed: EXIT.conflict,
  version_conflict: EXIT.conflict,
  idempotency_in_progress: EXIT.conflict,
  hand_off_refused: EXIT.conflict,
  comments_unconfirmed: EXIT.conflict,
  draft_changed: EXIT.conflict,
  erasure_running: EXIT.conflict,
  erasure_changed: EXIT.conflict,
  precondition_required: EXIT.conflict,
};

/** `code`: of a problem; another release of core may send an unknown one. */
export function exitCodeOf(code: string): ExitCode {
  return BY_CODE[code as ErrorCode] ?? EXIT.failed;
}

/** The same for a request: core calls a value of the command line `malformed`. */
export function exitCodeOfRequest(code: string): ExitCode {
  return code === 'malformed' ? EXIT.usage : exitCodeOf(code);
}

/** An expected failure: its message and the exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    /** Of the error catalogue, if it has one. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** The exit code of a command's error. A setting that was given as a flag belongs to the command line. */
export function exitCodeOfError({ code, members }: CulpritError): ExitCode {
  const { origin } = members;
  return typeof origin === 'string' && origin.startsWith('--') ? EXIT.usage : exitCodeOf(code);
}

/** For a mistyped word of a command line: what is known, and which of them is meant. */
export function unknownWord(what: string, word: string, known: readonly string[]): CommandFailure {
  const near = suggest(word, known);
  const hint = near === null ? `Use ${known.join(', ')}.` : `Did you mean ${near}?`;
  return usageError(`Unknown ${what} ${JSON.stringify(word)}. ${hint}`);
}

export function usageError(message: string): CommandFailure {
  return new CommandFailure(message, EXIT.usage);
}
