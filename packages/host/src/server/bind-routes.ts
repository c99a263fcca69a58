import { type Engine, isCulpritError, type Logger } from '@culprit/core';
import type { HttpRequest, HttpResponse, Route } from '../http/message.js';
import { problemResponse } from '../http/problem-response.js';
import { createRouter, unknownPath } from '../http/router.js';
import { type Authenticator, unauthenticated } from './authenticate.js';
import { withTag } from './entity-tag.js';
import { onceByKey, takesKey } from './idempotency.js';
import { limitEngine } from './limited-engine.js';
import type { Metrics } from './metrics.js';
import { permit } from './permit.js';
import { queryCheck } from './query-check.js';
import { bearerToken } from './reviewers.js';
import type { CoreRoute } from './route.js';
import { secured } from './security-headers.js';
import { SENTRY_PREFIX, sentryRefusal } from './sentry-api/sentry-route.js';
import { checkHost, type Site } from './site.js';

export interface Binding {
  readonly site: () => Site;
  /** Resolves once the engine has started. */
  readonly engine: () => Promise<Engine>;
  readonly authenticator: Authenticator;
  readonly isInternalSecret: (text: string) => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Head = Parameters<NonNullable<Route['admit']>>[0];

/** Wraps every route with the host check, authentication, security headers, problem documents and metrics. */
export function bindRoutes(routes: readonly CoreRoute[], binding: Binding): Route[] {
  const bound = routes.map((route) => bindRoute(route, binding));
  return [...bound, ...fallbackRoutes(bound, binding)];
}

function bindRoute(route: CoreRoute, binding: Binding): Route {
  const answer = answering(route.pattern, binding);
  const checkQuery = queryCheck(route);
  return {
    method: route.method,
    pattern: route.pattern,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    ...(route.streams === undefined ? {} : { streams: route.streams }),
    proof: (head) => (isProven(route, binding, head) ? 'trusted' : 'none'),
    refusal: (error, head) => answer(head, refusal(error, route.refusal)),
    admit(head) {
      try {
        checkHost(binding.site(), head);
        admit(route, binding, head);
        return null;
      } catch (error) {
        return answer(head, signInPage(route, head, error) ?? refusal(error, route.refusal));
      }
    },
    async handle(request) {
      try {
        return answer(request, await handle(route, binding, request, checkQuery));
      } catch (error) {
        if (!isCulpritError(error)) {
          binding.logger.error(
            { err: error, method: request.method, route: route.pattern },
            'request failed',
          );
        }
        return answer(request, signInPage(route, request, error) ?? refusal(error, route.refusal));
      }
    },
  };
}

/** Only for browsers: a program that sends a token gets the problem document. */
function signInPage(route: CoreRoute, { headers }: Head, error: unknown): HttpResponse | null {
  if (route.access !== 'reviewer' || route.signIn === undefined) return null;
  if (!isCulpritError(error, 'unauthenticated') || headers.authorization !== undefined) return null;
  return /\btext\/html\b/.test(headers.accept ?? '') ? route.signIn() : null;
}

function admit(route: CoreRoute, binding: Binding, head: Head): void {
  switch (route.access) {
    case 'open':
      route.admit?.(head);
      return;
    case 'reviewer':
      binding.authenticator.precheck(head);
      return;
    case 'internal': {
      const token = bearerToken(head.headers.authorization ?? '');
      if (token === null || !binding.isInternalSecret(token)) {
        throw unauthenticated('Send "Authorization: Bearer <INTERNAL_GATEWAY_SECRET>".');
      }
    }
  }
}

/** Whether the head alone proves the sender. Called only for admitted requests. */
function isProven({ access }: CoreRoute, { authenticator }: Binding, head: Head): boolean {
  return access === 'internal' || (access === 'reviewer' && authenticator.proves(head));
}

async function handle(
  route: CoreRoute,
  binding: Binding,
  request: HttpRequest,
  checkQuery: ReturnType<typeof queryCheck>,
): Promise<HttpResponse> {
  if (route.access === 'open') return route.handle(request);
  const engine = await binding.engine();
  if (route.access === 'internal') return route.handle({ request, engine });
  const identity = await binding.authenticator.authenticate(engine, request);
  const within = permit(route, identity.access);
  checkQuery(request.query);
  const act = () => route.handle({ request, engine: limitEngine(engine, within), identity, within });
  if (route.method === 'GET') return withTag(request, await act());
  return takesKey(route) ? onceByKey({ values: engine.values, request, now: binding.now }, act) : act();
}

function answering(pattern: string, { metrics }: Binding) {
  return ({ method }: Head, response: HttpResponse): HttpResponse => {
    metrics.count('culprit_http_requests_total', { route: pattern, method, status: response.status });
    return secured(response);
  };
}

function refusal(error: unknown, form: (error: unknown) => HttpResponse = problemResponse): HttpResponse {
  const response = form(error);
  if (!isCulpritError(error, 'unauthenticated')) return response;
  return { ...response, headers: { ...response.headers, 'www-authenticate': 'Bearer realm="culprit"' } };
}

/** Handles 404, 405 and OPTIONS, with the same headers and host check. */
function fallbackRoutes(bound: readonly Route[], binding: Binding): Route[] {
  const find = createRouter(bound);
  const answer = answering('other', binding);
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
  return methods.map((method) => ({
    method,
    pattern: '/*rest',
    admit(head) {
      try {
        checkHost(binding.site(), head);
      } catch (error) {
        return answer(head, refusal(error));
      }
      const match = find(head.method, head.path);
      const form = head.path.startsWith(SENTRY_PREFIX) ? sentryRefusal : problemResponse;
      const missing = form(unknownPath('Unknown path. See /openapi.json for all routes.'));
      const known = 'answer' in match && match.answer.status !== 404;
      return answer(head, known ? match.answer : missing);
    },
    handle: () => secured(problemResponse(unknownPath('Unknown path.'))),
  }));
}
