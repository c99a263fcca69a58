import { type Client, createClient } from '@culprit/client';
import { isCulpritError, type Logger } from '@culprit/core';
import { problemResponse } from '../http/problem-response.js';
import { createRouter } from '../http/router.js';
import { limitEngine } from './limited-engine.js';
import { permit } from './permit.js';
import type { CoreRoute, ReviewerCall } from './route.js';

/** A client of core's own routes in the name of a caller: the same limits, checks and answers as over HTTP, without a socket. */
export function localClient(routes: readonly CoreRoute[], call: ReviewerCall, logger: Logger): Client {
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
      // The signal may be a getter of the class, which a spread leaves out.
      request: { ...request, signal: request.signal, ...own },
    });
  };
  return createClient({
    url: 'http://culprit.invalid',
    retries: 0,
    signal: request.signal,
    async fetch(url, init = {}) {
      const asked = new URL(String(url));
      const answer = await respond(asked, init).catch((error: unknown) => {
        if (!isCulpritError(error))
          logger.error({ err: error, method: init.method, path: asked.pathname }, 'request failed');
        return problemResponse(error);
      });
      const { status, headers, body } = answer;
      return new Response(body === undefined ? null : Buffer.from(body), { status, headers: { ...headers } });
    },
  });
}
