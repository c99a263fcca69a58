import { setTimeout as delay } from 'node:timers/promises';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { Arrival, Arrivals, Visitor } from '../http/arrivals.js';
import { networkOf } from '../http/client-address.js';
import { type BodyReader, type KeptBody, LONG_BODY_BYTES } from '../http/long-body.js';
import type { HttpRequest, HttpResponse, RequestHead, Route } from '../http/message.js';
import { problemResponse } from '../http/problem-response.js';
import type { RequestGauge } from '../http/request-gauge.js';
import {
  clientGone,
  headerValue,
  isBodiless,
  proofOf,
  type RequestPolicy,
  timedOut,
  tooLarge,
} from '../http/request-policy.js';
import type { Router } from '../http/router.js';

interface ExchangeParts {
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

interface BodyLimits {
  readonly bytes: number;
  /** The whole body must arrive within this. */
  readonly ms: number;
  /** Reads a long body while it arrives. */
  readonly reader?: () => BodyReader | null;
  /** Counts the request among those that are arriving. */
  readonly enter: (flow: Pick<Visitor, 'refuse' | 'pause' | 'resume'>) => Arrival;
}

/** The whole body, what a reader kept of it, or why it was refused while it arrived: `too_large`, `timed_out`, `overloaded` or `closed`. */
async function readWholeBody(
  request: Request,
  { bytes, ms, enter, reader: begin }: BodyLimits,
): Promise<Uint8Array | KeptBody | CulpritError> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let received = 0;
  let long: BodyReader | null = null;
  const complete = new AbortController();
  const late = delay(ms, undefined, { signal: complete.signal }).then((): never => {
    throw timedOut();
  });
  late.catch(() => {});
  let goOn: Promise<void> | null = null;
  let resume = () => {};
  let crowdedOut: (reason: CulpritError) => void = () => {};
  const crowded = new Promise<never>((_, reject) => {
    crowdedOut = reject;
  });
  crowded.catch(() => {});
  const arrival = enter({
    refuse: (reason) => crowdedOut(reason),
    pause() {
      goOn = new Promise((resolve) => {
        resume = resolve;
      });
    },
    resume() {
      goOn = null;
      resume();
    },
  });
  try {
    for (;;) {
      if (goOn !== null) await Promise.race([goOn, late, crowded]);
      const { done, value } = await Promise.race([reader.read(), late, crowded]);
      if (done) return long === null ? Buffer.concat(chunks, received) : await long.end();
      received += value.byteLength;
      if (received > bytes) throw tooLarge(bytes);
      if (long === null) {
        chunks.push(value);
        arrival.keep(value.byteLength);
        if (received > LONG_BODY_BYTES) long = begin?.() ?? null;
        if (long === null) continue;
      } else chunks.push(value);
      const held = long.held();
      for (const chunk of chunks.splice(0)) await Promise.race([long.take(chunk), late, crowded]);
      arrival.keep(Math.max(0, long.held() - held));
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    return error instanceof CulpritError ? error : clientGone(error);
  } finally {
    arrival.leave();
    complete.abort();
  }
}
