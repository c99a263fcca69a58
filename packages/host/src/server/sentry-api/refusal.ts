import { problem } from '@culprit/core/internal/errors/error';
import type { HttpResponse } from '../../http/message.js';
import { jsonResponse, retryAfterSeconds } from '../../http/problem-response.js';

/** Paths that `sentry-cli` and the bundler plugins ask for. */
export const SENTRY_PREFIX = '/api/0/';

/** `sentry-cli` prints `detail` only if nothing stands beside it. */
export function sentryRefusal(error: unknown): HttpResponse {
  const { status, detail, title } = problem(error);
  const wait = retryAfterSeconds(error);
  return jsonResponse(
    status,
    { detail: detail || title },
    {
      'cache-control': 'no-store',
      ...(wait === null ? {} : { 'retry-after': String(wait) }),
    },
  );
}
