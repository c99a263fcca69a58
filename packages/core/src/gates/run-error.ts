import type { RunError } from '../domain/run.js';
import { isCulpritError } from '../errors/error.js';

/** What the run keeps of the error that stopped its analysis. Only errors of the catalogue reveal details. */
export function runError(error: unknown): RunError {
  if (isCulpritError(error)) return { code: error.code, detail: error.message, retryable: error.retryable };
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return {
      code: 'code_host_unavailable',
      detail: 'The analysis exceeded its time limit.',
      retryable: true,
    };
  }
  return {
    code: 'internal',
    detail: 'The analysis failed because of a bug. See the log for details.',
    retryable: false,
  };
}
