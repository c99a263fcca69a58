import type { RunError } from '../domain/run-error.js';
import { ERRORS, type ErrorCode } from '../errors/catalogue.js';
import { CulpritError } from '../errors/error.js';

/** An error as runs, their histories and evidence store it. */
export function runError({ code, message, retryable }: CulpritError): RunError {
  return { code, detail: message, retryable };
}

/** The error that was stored. A code of another version becomes `internal`. */
export function storedError({ code, detail, retryable }: RunError): CulpritError {
  return new CulpritError(code in ERRORS ? (code as ErrorCode) : 'internal', detail, { retryable });
}
