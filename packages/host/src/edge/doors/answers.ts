import { encodingOf, otlpAccepted, otlpRefused, signalOf } from '@culprit/connectors/otlp';
import { sdkError, sdkErrorOf } from '@culprit/connectors/sentry';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { RejectedCrashes } from '@culprit/core/internal/ports/tracker';
import type { HttpResponse, RequestHead } from '../../http/message.js';
import { jsonResponse, problemResponse, retryAfterSeconds } from '../../http/problem-response.js';

/** The responses of a door. `accepted` takes the id of the first crash, `null` if there is none, and what was refused. */
export interface Answers {
  accepted(id: string | null, rejected?: RejectedCrashes): HttpResponse;
  refused(error: unknown): HttpResponse;
}

const accepted = (id: string | null) => jsonResponse(202, { id, status: 'accepted' });

/** Webhook senders retry 503 but not 429, so a rate limit is reported as 503. */
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

/** Browsers hide a response without these headers from the SDK, so every response has them, errors included. */
const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error,x-sentry-rate-limits,retry-after',
};

/**
 * Success is exactly 200 with JSON: some SDKs treat other codes as errors. `Retry-After` on anything but 429 silences
 * SDKs.
 */
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

/** A transparent image of one pixel. Old browser SDKs load it because images may come from any origin. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** The responses of `GET /store/?sentry_data=…`. */
export const PIXEL_ANSWERS: Answers = {
  ...SDK_ANSWERS,
  accepted: () => ({
    status: 200,
    headers: { 'content-type': 'image/gif', 'cache-control': 'no-store', ...CORS_HEADERS },
    body: PIXEL,
  }),
};

/** Responses in the encoding of the request, as OTLP/HTTP requires. */
export function otlpAnswers({ path, headers }: Pick<RequestHead, 'path' | 'headers'>): Answers {
  const encoding = encodingOf(headers['content-type']) ?? 'json';
  return {
    accepted: (_id, rejected) => otlpAccepted(signalOf(path), encoding, rejected),
    refused: (error) => otlpRefused(encoding, error, retryAfterSeconds(error)),
  };
}

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

/** `Retry-After` is allowed on 429 only. */
function withoutWait(error: unknown): unknown {
  if (!isCulpritError(error) || error.retryAfterMs === undefined) return error;
  const { path, members } = error;
  return new CulpritError(error.code, error.message, { members, ...(path === undefined ? {} : { path }) });
}
