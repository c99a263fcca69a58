import { isCulpritError } from '@culprit/core';
import type { Arrivals } from '../http/arrivals.js';
import { networkOf } from '../http/client-address.js';
import type { HttpRequest, HttpResponse, RequestHead, Route } from '../http/message.js';
import { problemResponse } from '../http/problem-response.js';
import type { RequestGauge } from '../http/request-gauge.js';
import { headerValue, isBodiless, proofOf, type RequestPolicy } from '../http/request-policy.js';
import type { Router } from '../http/router.js';
import { readWholeBody } from './read-body.js';

export interface ExchangeParts {
  readonly router: Router;
  readonly policy: RequestPolicy;
  readonly gauge: RequestGauge;
  readonly arrivals: Arrivals;
  readonly limits: { readonly requestMs: number };
}

/** Takes a standard `Request` to its `Response`. Never rejects. */
export function createExchange({ router, policy, gauge, arrivals, limits }: ExchangeParts) {
  const handle = async (request: HttpRequest, route: Route): Promise<HttpResponse> => {
    const busy = policy.begin(request, route);
    if (busy !== null) return policy.refuse(busy, request, route);
    gauge.enter();
    try {
      return await policy.handle(request, route);
    } finally {
      gauge.leave(true);
    }
  };
  const respond = async (request: Request, head: RequestHead, route: Route): Promise<HttpResponse> => {
    const early = policy.admit(head, route);
    if (early !== null) return policy.refuse(early, head, route);
    const body = await readWholeBody(request, {
      bytes: route.bodyLimit ?? 0,
      ms: limits.requestMs,
      reader: () => route.reader?.(head) ?? null,
      enter: (flow) =>
        arrivals.enter({
          ...flow,
          address: networkOf(head.remoteAddress),
          proof: () => proofOf(route, head),
        }),
    });
    if (body instanceof Uint8Array) return handle({ ...head, body, signal: request.signal }, route);
    if (!isCulpritError(body))
      return handle({ ...head, body: body.body, kept: body, signal: request.signal }, route);
    if (body.code !== 'closed') return policy.refuse(body, head, route);
    policy.abandoned(head, route);
    return problemResponse(body);
  };
  return async (request: Request, head: RequestHead): Promise<Response> => {
    const match = router(head.method, head.path);
    if ('answer' in match) return responseOf(match.answer, head.method);
    return responseOf(await respond(request, { ...head, params: match.params }, match.route), head.method);
  };
}

export function responseOf(answer: HttpResponse, method = 'GET'): Response {
  const { status, headers = {}, body = '' } = answer;
  const safe = new Headers();
  for (const [name, value] of Object.entries(headers)) safe.set(name, headerValue(value));
  for (const cookie of answer.cookies ?? []) safe.append('set-cookie', headerValue(cookie));
  if (isBodiless(answer)) return new Response(null, { status, headers: safe });
  if (!safe.has('content-length')) safe.set('content-length', String(Buffer.byteLength(body)));
  return new Response(method === 'HEAD' ? null : Buffer.from(body), { status, headers: safe });
}
