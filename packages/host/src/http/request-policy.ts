import { CulpritError, isCulpritError, type Logger } from '@culprit/core';
import { asCulpritError } from '@culprit/core/internal/errors/error';
import type { Proof } from './arrivals.js';
import type { HttpRequest, HttpResponse, RequestHead, Route } from './message.js';
import { problemResponse } from './problem-response.js';
import type { RequestGauge } from './request-gauge.js';

/** How a server handles requests that never reach their handler. */
export interface Refusals {
  /** The response to a refused request. Default: a problem document. */
  refuse?(error: CulpritError, head: RequestHead, route: Route): HttpResponse;
  /** The client disconnected before the request was complete, so there is no response. */
  abandoned?(head: RequestHead, route: Route): void;
}

/** The rules of an exchange. The adapters for uWebSockets.js and for the Fetch API only move bytes. */
export interface RequestPolicy {
  /** Before any of the body is read. `null`: continue. */
  admit(head: RequestHead, route: Route): CulpritError | HttpResponse | null;
  /** When the request is complete. `null`: handle it, and tell the gauge when it leaves. */
  begin(head: RequestHead, route: Route): CulpritError | null;
  refuse(reason: CulpritError | HttpResponse, head: RequestHead, route: Route): HttpResponse;
  abandoned(head: RequestHead, route: Route): void;
  /** Runs the handler. Never rejects. */
  handle(request: HttpRequest, route: Route): Promise<HttpResponse>;
}

export interface RequestPolicyOptions {
  readonly gauge: RequestGauge;
  readonly refusals: Refusals;
  readonly logger: Logger;
}

export function createRequestPolicy({ gauge, refusals, logger }: RequestPolicyOptions): RequestPolicy {
  const logFailure = (error: unknown, { pattern }: Route) => {
    if (!isCulpritError(error) || error.code === 'internal') {
      logger.error({ error, route: pattern }, 'a request handler failed');
    }
  };
  return {
    admit(head, route) {
      try {
        return route.admit?.(head) ?? checkLength(head, route.bodyLimit ?? 0);
      } catch (error) {
        logFailure(error, route);
        return asCulpritError(error, 'internal', 'See the log.');
      }
    },
    begin(head, route) {
      if (gauge.begin(route.method, () => proofOf(route, head) === 'trusted')) return null;
      return new CulpritError('overloaded', 'Too many requests are in progress. Try again shortly.');
    },
    refuse(reason, head, route) {
      if (!isCulpritError(reason)) return reason;
      if (route.refusal !== undefined) return route.refusal(reason, head);
      return refusals.refuse?.(reason, head, route) ?? problemResponse(reason);
    },
    abandoned: (head, route) => refusals.abandoned?.(head, route),
    async handle(request, route) {
      try {
        return await route.handle(request);
      } catch (error) {
        logFailure(error, route);
        return problemResponse(error);
      }
    },
  };
}

/** What the head proves about the sender. A check that fails proves nothing; the handler reports it. */
export function proofOf({ proof }: Route, head: RequestHead): Proof {
  try {
    return proof?.(head) ?? 'none';
  } catch {
    return 'none';
  }
}

function checkLength({ headers }: RequestHead, limit: number): CulpritError | null {
  const declared = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(declared) && Number(declared) > limit ? tooLarge(limit) : null;
}

export function tooLarge(limit: number): CulpritError {
  const fix = limit === 0 ? 'Send no body here.' : `Send at most ${limit} bytes.`;
  return new CulpritError('too_large', `The body exceeds the size limit. ${fix}`, { members: { limit } });
}

export const timedOut = () =>
  new CulpritError('timed_out', 'The whole request must arrive within the time limit. Send it again.');

export const clientGone = (cause?: unknown) =>
  new CulpritError('closed', 'The client disconnected.', cause === undefined ? {} : { cause });

/** These statuses have no body. */
export const isBodiless = ({ status }: HttpResponse) => status === 204 || status === 304;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a header must not contain
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** Replaces the characters that would end the header, or that clients reject. */
export const headerValue = (text: string) =>
  text.search(CONTROL) === -1 ? text : text.replace(CONTROL, ' ');
