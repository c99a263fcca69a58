import { isCulpritError, problem } from '@culprit/core';

/** Refusals in the format that SDKs print. */
export interface SdkError {
  readonly detail: string;
  readonly causes?: readonly string[];
}

/** The body of a refusal in the SDKs' format; `causes` is omitted if empty. */
export function sdkError(detail: string, causes: readonly string[] = []): SdkError {
  return causes.length === 0 ? { detail } : { detail, causes };
}

/** Status and body for an error of `parse`. Errors other than CulpritError reveal nothing. */
export function sdkErrorOf(error: unknown): { readonly status: number; readonly body: SdkError } {
  const { status, detail } = problem(error);
  if (!isCulpritError(error, 'malformed')) return { status, body: sdkError(detail) };
  if (detail === 'empty request body') return { status, body: sdkError(detail) };
  return { status, body: sdkError('invalid event envelope', [detail]) };
}
