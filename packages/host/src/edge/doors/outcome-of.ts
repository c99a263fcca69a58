import { type ErrorCode, isCulpritError } from '@culprit/core';
import type { Outcome } from '@culprit/core/internal/domain/outcome';

const OUTCOME_OF: Partial<Record<ErrorCode, Outcome>> = {
  malformed: 'malformed',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  too_large: 'too_large',
  unsupported_encoding: 'unsupported_encoding',
  rate_limited: 'rate_limited',
  timed_out: 'timed_out',
};

/**
 * The outcome of a delivery refused with this error. Errors without an outcome of their own are the edge's fault:
 * `overloaded`.
 */
export function outcomeOf(error: unknown): Outcome {
  return (isCulpritError(error) ? OUTCOME_OF[error.code] : undefined) ?? 'overloaded';
}
