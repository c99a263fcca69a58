import { problem } from '@culprit/core/internal/errors/error';
import type { HttpResponse } from './message.js';

/** A problem document (RFC 9457). `Retry-After` (whole seconds, at least 1) only if the error has a delay. */
export function problemResponse(error: unknown): HttpResponse {
  const document = problem(error);
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  };
  const wait = retryAfterSeconds(error);
  if (wait !== null) headers['retry-after'] = String(wait);
  return { status: document.status, headers, body: JSON.stringify(document) };
}

export function retryAfterSeconds(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('retryAfterMs' in error)) return null;
  const ms = error.retryAfterMs;
  return typeof ms === 'number' && Number.isFinite(ms) ? Math.max(1, Math.ceil(ms / 1_000)) : null;
}

/** A JSON response. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(value),
  };
}

const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({ 'content-type': 'application/json' });
