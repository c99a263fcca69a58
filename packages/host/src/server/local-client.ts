import { type Client, createClient } from '@culprit/client';
import { problemResponse } from '../http/problem-response.js';
import { createRouter } from '../http/router.js';
import { limitEngine } from './limited-engine.js';
import { permit } from './permit.js';
import type { CoreRoute, ReviewerCall } from './route.js';

/** A client of core's own routes in the name of a caller: the same limits, checks and answers as over HTTP, without a socket. */
export function localClient(routes: readonly CoreRoute[], call: ReviewerCall): Client {
  const { request, engine, identity } = call;
  const find = createRouter(routes.filter((route) => route.access === 'reviewer'));
  const respond = async (url: URL, { method = 'GET', headers, body }: RequestInit) => {
    const match = find(method, url.pathname);
    if ('answer' in match) return match.answer;
    const { route, params } = match;
    const within = permit(route, identity.access);
    const own = {
      ...{ method, path: url.pathname, params, query: Object.fromEntries(url.searchParams) },
      ...{ headers: headers as Readonly<Record<string, string>>, body: Buffer.from(String(body ?? '')) },
    };
    return route.handle({
      ...{ identity, within, engine: limitEngine(engine, within) },
      request: { ...request, ...own },
    });
  };
  return createClient({
    url: 'http://culprit.invalid',
    retries: 0,
    signal: request.signal,
    async fetch(url, init = {}) {
      const answer = await respond(new URL(String(url)), init).catch(problemResponse);
      const { status, headers, body } = answer;
      return new Response(body === undefined ? null : Buffer.from(body), { status, headers: { ...headers } });
    },
  });
}
