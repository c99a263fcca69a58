import { isCulpritError, problem } from '@culprit/core';

/** What SDKs print when a delivery is refused. */
export interface SdkError {
  readonly detail: string;
  readonly causes?: readonly string[];
}

/** The body of a refusal in the form that SDKs know; `causes` is left out when empty. */
export function sdkError(detail: string, causes: readonly string[] = []): SdkError {
  return causes.length === 0 ? { detail } : { detail, causes };
}

/** Status and body for an error of `parse`; what is no CulpritError tells nothing of itself. */
export function sdkErrorOf(error: unknown): { readonly status: number; readonly body: SdkError } {
  const { status, detail } = problem(error);
  if (!isCulpritError(error, 'malformed')) return { status, body: sdkError(detail) };
  if (detail === 'empty request body') return { status, body: sdkError(detail) };
  return { status, body: sdkError('invalid event envelope', [detail]) };
}
