import { CulpritError, isCulpritError, type Logger } from '@culprit/core';
import type { HttpResponse, Route } from '../http/message.js';
import { problemResponse } from '../http/problem-response.js';
import type { Router } from '../http/router.js';
import type { Refusals } from '../http/uws-exchange.js';
import type { RequestHead } from '../http/uws-head.js';
import { readWholeBody } from './read-body.js';

export interface ExchangeParts {
  readonly router: Router;
  /** How requests are refused that never reach their handler. */
  readonly refusals: Refusals;
  readonly limits: { readonly requestMs: number; readonly concurrentRequests: number };
  readonly logger: Logger;
}

/** Takes one request from its head to its answer: route, room, admission, body, handler. Never rejects. */
export function createExchange({ router, refusals, limits, logger }: ExchangeParts) {
  let underWay = 0;
  const refuse = (error: unknown, head: RequestHead, route: Route): HttpResponse => {
    if (!isCulpritError(error)) logger.error({ error, route: route.pattern }, 'a request handler failed');
    const known = isCulpritError(error)
      ? error
      : new CulpritError('internal', 'See the log.', { cause: error });
    return refusals.refuse?.(known, head, route) ?? problemResponse(known);
  };
  const take = async (request: Request, head: RequestHead, route: Route): Promise<HttpResponse> => {
    let body: Uint8Array;
    try {
      // GET and HEAD are never refused for want of room: health must answer under load.
      if (route.method !== 'GET' && underWay > limits.concurrentRequests) throw overloaded();
      const early = route.admit?.(head) ?? null;
      if (early !== null) return early;
      body = await readWholeBody(request, { bytes: route.bodyLimit ?? 0, ms: limits.requestMs });
    } catch (error) {
      if (!isCulpritError(error, 'closed')) return refuse(error, head, route);
      refusals.abandoned?.(head, route);
      return problemResponse(error);
    }
    try {
      return await route.handle({ ...head, body, signal: request.signal });
    } catch (error) {
      if (!isCulpritError(error)) logger.error({ error, route: route.pattern }, 'a request handler failed');
      return problemResponse(error);
    }
  };
  return async (request: Request, head: RequestHead): Promise<Response> => {
    underWay++;
    try {
      const match = router(head.method, head.path);
      if ('answer' in match) return responseOf(match.answer, head.method);
      return responseOf(await take(request, { ...head, params: match.params }, match.route), head.method);
    } finally {
      underWay--;
    }
  };
}

const overloaded = () =>
  new CulpritError('overloaded', 'Too many requests are under way; try again shortly.');

function responseOf({ status, headers = {}, body = '' }: HttpResponse, method: string): Response {
  const clean = new Headers();
  for (const [name, value] of Object.entries(headers)) clean.set(name, value.replace(/[\r\n\0]/g, ' '));
  if (status === 204 || status === 304) return new Response(null, { status, headers: clean });
  if (!clean.has('content-length')) clean.set('content-length', String(Buffer.byteLength(body)));
  return new Response(method === 'HEAD' ? null : Buffer.from(body), { status, headers: clean });
}
