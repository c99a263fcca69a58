import { type Engine, type Logger, silentLogger } from '@culprit/core';
import { type CoreAppOptions, createCoreApp } from '../core/core-app.js';
import { createSite } from '../core/site.js';
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
import { engineSpool } from './engine-spool.js';
import { createExchange } from './exchange.js';
import { addressOf, readRequestHead } from './read-request.js';

/** What `createFetchHandler` needs. */
export interface FetchHandlerOptions extends Partial<Omit<CoreAppOptions, 'reviewers'>> {
  /** Its trackers become the doors. You close it. */
  readonly engine: Engine;
  /** Who may read runs and pass gates. */
  readonly reviewers: CoreAppOptions['reviewers'];
  /** The public URL of this handler, port included. Requests with another `Host` or `Origin` are refused. */
  readonly publicUrl: string;
  readonly allowedHosts?: readonly string[];
  /** The path below which the handler is mounted, if the request's URL still includes it, such as `/culprit`. */
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

/** Answers ingest requests given as web-standard `Request`s. */
export interface FetchHandler {
  /** `context` is what the framework passes with the request. Never rejects. */
  (request: Request, context?: unknown): Promise<Response>;
  /** Detaches from the engine. Close the engine after this. */
  close(): void;
}

/**
 * The edge's doors and core's routes as one Fetch handler for any server. A delivery is stored by the engine before
 * the handler reports success. Only the live feed is missing: a `Request` cannot become a WebSocket.
 */
export function createFetchHandler(options: FetchHandlerOptions): FetchHandler {
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
  const { port, protocol } = new URL(options.publicUrl);
  app.placedAt(
    createSite({
      publicUrl: options.publicUrl,
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      allowedHosts: options.allowedHosts ?? [],
    }),
  );
  app.started(engine);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const basePath = (options.basePath ?? '').replace(/\/+$/, '');
  const httpLimits = edgeHttpLimits(guards.limits);
  const gauge = createRequestGauge(() => httpLimits);
  const exchange = createExchange({
    router: doorsFirst(doors.routes, app.routes),
    policy: createRequestPolicy({ gauge, refusals: doors.refusals, logger }),
    gauge,
    arrivals: createArrivals(arrivalLimits(httpLimits)),
    limits: guards.limits,
  });
  const handle = (request: Request, context?: unknown): Promise<Response> => {
    const address = options.remoteAddress?.(request, context) ?? addressOf(context);
    return exchange(request, readRequestHead(request, { basePath, address, clientAddress }));
  };
  return Object.assign(handle, { close: app.close });
}

/** Core responds 404 to unknown requests, but a door with the wrong method is 405. */
function doorsFirst(doors: readonly Route[], others: readonly Route[]): Router {
  const all = createRouter([...doors, ...others]);
  const door = createRouter(doors);
  return (method, path) => {
    const match = all(method, path);
    if ('answer' in match || match.route.pattern !== '/*rest') return match;
    const refusal = door(method, path);
    return 'answer' in refusal && refusal.answer.status !== 404 ? refusal : match;
  };
}
