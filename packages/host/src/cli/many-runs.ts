import { ApiError } from '@culprit/client';
import { print, printError } from '../log/terminal.js';
import { CommandFailure, EXIT, type ExitCode, exitCodeOfRequest, usageError } from './exit-codes.js';
import { type Form, form, type Given } from './over-core.js';
import { oneLine, printJson } from './print.js';

/** What core answered, and the same in words. */
interface Answered {
  readonly value: unknown;
  readonly text: string;
}

/** A decision on one run. */
export type Decision = (given: Given, runId: string) => Promise<Answered>;

/** A form that decides on one run, or on each of several: `RUN…`. */
export function decision(takes: string, decide: Decision): Form {
  const one = form(takes, {
    call: (given) => decide(given, given.args[0] ?? ''),
    text: ({ text }) => `${text}\n`,
    json: ({ value }) => value,
  });
  return {
    takes,
    async run(given) {
      const runIds = [...new Set(given.args)];
      if (runIds.length === 1) return one.run(given);
      if (given.flags.text('digest') !== null)
        throw usageError('--digest signs one draft: approve the runs at Gate 2 one by one.');
      return decideOn(given, runIds, decide);
    },
  };
}

interface Decided {
  readonly run_id: string;
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code?: string | undefined; readonly detail: string };
}

/**
 * Decides on the runs one after the other. One that fails does not stop the others, unless core is unreachable or rejects the
 * token: those that follow are not tried. Resolves with the exit code of the first failure.
 */
async function decideOn(given: Given, runIds: readonly string[], decide: Decision): Promise<ExitCode> {
  const json = given.flags.has('json');
  const decided: Decided[] = [];
  let exitCode: ExitCode = EXIT.done;
  for (const run_id of runIds) {
    try {
      const { value, text } = await decide(given, run_id);
      decided.push({ run_id, ok: true, result: value });
      if (!json) print(`${oneLine(run_id)}: ${text}\n`);
    } catch (error) {
      const failed = failureOf(error);
      if (failed === null || (failed.stops && decided.length === 0)) throw error;
      if (exitCode === EXIT.done) exitCode = failed.exitCode;
      decided.push({ run_id, ok: false, error: { code: failed.code, detail: failed.detail } });
      printError(`culprit: ${oneLine(run_id)}: ${oneLine(failed.detail)}\n`);
      if (failed.stops) break;
    }
  }
  const rest = runIds.slice(decided.length);
  if (rest.length > 0) printError(`culprit: not tried: ${rest.map(oneLine).join(', ')}\n`);
  if (json) printJson({ runs: decided, not_tried: rest });
  return exitCode;
}

/** What a failed call says; `null`: a bug. `stops`: it would fail for every other run, too. */
export function failureOf(error: unknown) {
  if (error instanceof CommandFailure) {
    const { message: detail, code, exitCode } = error;
    return { detail, code, exitCode, stops: exitCode === EXIT.usage && code === undefined };
  }
  if (!(error instanceof ApiError)) return null;
  const { message: detail, code, status } = error;
  return { detail, code, exitCode: exitCodeOfRequest(code), stops: status === 0 || status === 401 };
}
