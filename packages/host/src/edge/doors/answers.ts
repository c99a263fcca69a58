import { sdkError, sdkErrorOf } from '@culprit/connectors/sentry';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { HttpResponse } from '../../http/message.js';
import { jsonResponse, problemResponse, retryAfterSeconds } from '../../http/problem-response.js';

/** How a door answers. `accepted` gets the id of the first crash, `null` where there is none. */
export interface Answers {
  accepted(id: string | null): HttpResponse;
  refused(error: unknown): HttpResponse;
}

const accepted = (id: string | null) => jsonResponse(202, { id, status: 'accepted' });

/** Senders of webhooks retry 503, never 429, so being over a rate is told as 503. */
export const WEBHOOK_ANSWERS: Answers = {
  accepted,
  refused: (error) => {
    if (!isCulpritError(error, 'rate_limited')) return problemResponse(withoutWait(error));
    return problemResponse(new CulpritError('overloaded', error.message, { members: error.members }));
  },
};

export const NATIVE_ANSWERS: Answers = {
  accepted,
  refused: (error) => problemResponse(isCulpritError(error, 'rate_limited') ? error : withoutWait(error)),
};

/** Browsers hide an answer without these from the SDK, so they stand on every one, errors included. */
const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error,x-sentry-rate-limits,retry-after',
};

/** Exactly 200 with JSON: other successes are errors to some SDKs. `Retry-After` on anything but 429 silences SDKs. */
export const SDK_ANSWERS: Answers = {
  accepted: (id) => jsonResponse(200, id === null ? {} : { id }, CORS_HEADERS),
  refused: (error) => {
    const wait = isCulpritError(error, 'rate_limited') ? (retryAfterSeconds(error) ?? 60) : null;
    if (wait === null) {
      const { status, body } = sdkErrorOf(error);
      return jsonResponse(status, body, CORS_HEADERS);
    }
    const limits = { 'retry-after': String(wait), 'x-sentry-rate-limits': `${wait}::key` };
    const detail = 'Sentry dropped data due to a quota or internal rate limit being reached.';
    return jsonResponse(429, sdkError(detail), { ...CORS_HEADERS, ...limits });
  },
};

/** A transparent picture of one pixel: what old browser SDKs load, because a picture may come from anywhere. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** `GET /store/?sentry_data=…` is answered with a picture. */
export const PIXEL_ANSWERS: Answers = {
  ...SDK_ANSWERS,
  accepted: () => ({
    status: 200,
    headers: { 'content-type': 'image/gif', 'cache-control': 'no-store', ...CORS_HEADERS },
    body: PIXEL,
  }),
};

export function sdkPreflight(): HttpResponse {
  return {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers':
        'x-sentry-auth,x-requested-with,x-forwarded-for,origin,referer,accept,content-type,authentication,' +
        'authorization,content-encoding,transfer-encoding,sentry-trace,baggage',
      'access-control-max-age': '3600',
    },
  };
}

/** The contract: `Retry-After` on 429 and on nothing else. */
function withoutWait(error: unknown): unknown {
  if (!isCulpritError(error) || error.retryAfterMs === undefined) return error;
  const { path, members } = error;
  return new CulpritError(error.code, error.message, { members, ...(path === undefined ? {} : { path }) });
}
