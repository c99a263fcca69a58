import type { ErrorCode } from '@culprit/core';

/** How a command ends. These numbers do not change their meaning. */
export const EXIT = {
  done: 0,
  /** The answer is no: a digest differs, a check failed; or something broke. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** No such run, file or issue. */
  notFound: 3,
  /** The token is missing or is refused. */
  refused: 4,
  /** Nobody answers there. */
  unreachable: 5,
  /** The run's state does not allow it, or the draft was changed meanwhile. */
  conflict: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Done; everything that was asked holds.',
  failed: 'The answer is no: a digest differs, an issue was changed, a check failed. Or something broke.',
  usage: 'The command line makes no sense.',
  notFound: 'No such run, file or issue.',
  refused: 'The token is missing or is refused.',
  unreachable: 'Nobody answers there.',
  conflict: 'The run’s state does not allow it, or the draft was changed meanwhile.',
  interrupted: 'Stopped by Ctrl-C.',
};

const BY_CODE: Partial<Record<ErrorCode | 'unreachable', ExitCode>> = {
  unreachable: EXIT.unreachable,
  run_not_found: EXIT.notFound,
  not_found: EXIT.notFound,
  unauthenticated: EXIT.refused,
  forbidden: EXIT.refused,
  host_refused: EXIT.refused,
  state_conflict: EXIT.conflict,
  version_conflict: EXIT.conflict,
  draft_changed: EXIT.conflict,
  precondition_required: EXIT.conflict,
};

/** `code`: of a problem; another release of core may send an unknown one. */
export function exitCodeOf(code: string): ExitCode {
  return BY_CODE[code as ErrorCode] ?? EXIT.failed;
}

/** An end that a command means: what to say and how to exit. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}

export function usageError(message: string): CommandFailure {
  return new CommandFailure(message, EXIT.usage);
}
