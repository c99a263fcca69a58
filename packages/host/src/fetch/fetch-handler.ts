import { type Engine, type Logger, silentLogger } from '@culprit/core';
import { doorRoutes } from '../edge/doors/door-routes.js';
import { createGuards } from '../edge/guards/guards.js';
import { EDGE_LIMITS, type EdgeLimits, edgeHttpLimits } from '../edge/limits.js';
import { createArrivals } from '../http/arrivals.js';
import { createClientAddress } from '../http/client-address.js';
import { arrivalLimits } from '../http/http-limits.js';
import type { Route } from '../http/message.js';
import { createRequestGauge } from '../http/request-gauge.js';
import { createRequestPolicy } from '../http/request-policy.js';
import { createRouter, type Router } from '../http/router.js';
import { wsSockets } from '../http/ws-socket.js';
import { type CoreAppOptions, createCoreApp } from '../server/core-app.js';
import { createSite } from '../server/site.js';
import { checkFetchOptions } from './check-options.js';
import { engineSpool } from './engine-spool.js';
import { createExchange } from './exchange.js';
import { keepParts } from './handler-parts.js';
import { addressOf, readRequestHead, withoutBase } from './read-request.js';

/** What `createFetchHandler` needs. */
export interface FetchHandlerOptions extends Partial<Omit<CoreAppOptions, 'reviewers'>> {
  /** Its trackers become the doors. You close it. */
  readonly engine: Engine;
  /** Who may read runs and pass gates. */
  readonly reviewers: CoreAppOptions['reviewers'];
  /**
   * Where browsers reach this handler, with port and path, such as `https://shop.example/culprit`. Requests with another
   * `Host` or `Origin` are refused.
   */
  readonly publicUrl: string;
  /** Further values of the `Host` header, as `host[:port]`; a name without a port allows every port. */
  readonly allowedHosts?: readonly string[];
  /** The path below which requests reach the handler, if it is not that of `publicUrl`: empty behind a proxy that removes it. */
  readonly basePath?: string;
  /** Peers whose `x-forwarded-for` is trusted: addresses and CIDR blocks. */
  readonly trustedProxies?: readonly string[];
  /** The peer's address, from the request and the framework's context. Required for limits per address. */
  readonly remoteAddress?: (request: Request, context: unknown) => string | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<EdgeLimits>;
  /** Accepts Brotli bodies. Default: false. */
  readonly brotli?: boolean;
  readonly logger?: Logger;
}

/** Answers web-standard `Request`s: doors, gates and board. */
export interface FetchHandler {
  /** `context` is what the framework passes with the request. Never rejects. */
  (request: Request, context?: unknown): Promise<Response>;
  /** Ends live feeds and detaches from the engine. Close the engine after this. */
  close(): void;
}

/**
 * The edge's doors and core's routes as one Fetch handler for any server. A delivery is stored by the engine before the
 * handler reports success. The live feed needs `nodeListener`, because a `Request` cannot become a WebSocket. Throws
 * `configuration` with the name of an option that is missing or wrong.
 */
export function createFetchHandler(options: FetchHandlerOptions): FetchHandler {
  checkFetchOptions(options);
  const { engine, logger = silentLogger } = options;
  const app = createCoreApp({ ...options, internalSecrets: options.internalSecrets ?? [], logger });
  const guards = createGuards({ ...EDGE_LIMITS, ...options.limits });
  const doors = doorRoutes(
    {
      guards,
      spool: engineSpool(engine),
      sanitise: engine.sanitiser.json,
      brotli: options.brotli === true,
      logger,
    },
    engine.trackers,
  );
  const { port, protocol, pathname } = new URL(options.publicUrl);
  app.placedAt(
    createSite({
      publicUrl: options.publicUrl,
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      allowedHosts: options.allowedHosts ?? [],
      settings: { publicUrl: 'publicUrl', allowedHosts: 'allowedHosts' },
    }),
  );
  app.started(engine);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const basePath = (options.basePath ?? pathname).replace(/\/+$/, '');
  const httpLimits = edgeHttpLimits(guards.limits);
  const gauge = createRequestGauge(() => httpLimits);
  const router = doorsFirst(doors.routes, app.routes);
  const exchange = createExchange({
    router,
    policy: createRequestPolicy({ gauge, refusals: doors.refusals, logger }),
    gauge,
    arrivals: createArrivals(arrivalLimits(httpLimits)),
    limits: guards.limits,
  });
  const headOf = (request: Request, context: unknown) => {
    const address = options.remoteAddress?.(request, context) ?? addressOf(context);
    return readRequestHead(request, { basePath, address, clientAddress });
  };
  const known = createRouter([...doors.routes, ...app.routes].filter(({ pattern }) => pattern !== REST));
  // At the root of a site `/api/` may be the site's own; below Culprit's own path it is not.
  const isOurs = (method: string, path: string): boolean => {
    if (basePath !== '' && path.startsWith('/api/')) return true;
    const match = known(method, path);
    return 'route' in match || match.answer.status !== 404;
  };
  const sockets = wsSockets(app.live, logger);
  const close = () => {
    sockets.closeAll();
    void app.close();
  };
  const handler: FetchHandler = Object.assign(
    (request: Request, context?: unknown) => exchange(request, headOf(request, context)),
    { close },
  );
  keepParts(handler, {
    serves: (method, path) => isBelow(path, basePath) && isOurs(method, withoutBase(path, basePath)),
    upgrade(request, incoming, socket, rest) {
      const context = { remoteAddress: incoming.socket.remoteAddress };
      return sockets.upgrade(headOf(request, context), incoming, socket, rest);
    },
    livePath: `${basePath}${app.live.pattern}`,
  });
  return handler;
}

const isBelow = (path: string, base: string) => path === base || path.startsWith(`${base}/`);
/** Core's routes for all other paths. */
const REST = '/*rest';

/** Core responds 404 to unknown requests, but a door with the wrong method is 405. */
function doorsFirst(doors: readonly Route[], others: readonly Route[]): Router {
  const all = createRouter([...doors, ...others]);
  const door = createRouter(doors);
  return (method, path) => {
    const match = all(method, path);
    if ('answer' in match || match.route.pattern !== REST) return match;
    const refusal = door(method, path);
    return 'answer' in refusal && refusal.answer.status !== 404 ? refusal : match;
  };
}
