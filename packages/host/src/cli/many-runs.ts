import { ApiError, type Client } from '@culprit/client';
import { print, printError } from '../log/terminal.js';
import { CommandFailure, EXIT, type ExitCode, exitCodeOfRequest } from './exit-codes.js';
import { oneLine, printJson } from './print.js';
import type { ReadFlags } from './read-flags.js';

/** What core answered, and the same in words. */
export interface Told {
  readonly value: unknown;
  readonly text: string;
}

/** A decision on one run. */
export type Decision = (api: Client, flags: ReadFlags, runId: string) => Promise<Told>;

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
export async function decideOn(
  api: Client,
  flags: ReadFlags,
  runIds: readonly string[],
  decide: Decision,
): Promise<ExitCode> {
  const decided: Decided[] = [];
  let exitCode: ExitCode = EXIT.done;
  for (const run_id of runIds) {
    try {
      const { value, text } = await decide(api, flags, run_id);
      decided.push({ run_id, ok: true, result: value });
      if (!flags.has('json')) print(`${oneLine(run_id)}: ${text}\n`);
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
  if (flags.has('json')) printJson({ runs: decided, not_tried: rest });
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
