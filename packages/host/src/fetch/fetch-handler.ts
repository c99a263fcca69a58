import { CulpritError, type Engine, type JsonObject, type Logger, silentLogger } from '@culprit/core';
import type { DoorContext } from '../edge/doors/door.js';
import { doorRoutes } from '../edge/doors/door-routes.js';
import { createGuards } from '../edge/guards/guards.js';
import { EDGE_LIMITS, type EdgeLimits, edgeHttpLimits } from '../edge/limits.js';
import type { NewDelivery } from '../edge/spool/new-delivery.js';
import { createArrivals } from '../http/arrivals.js';
import { type ClientAddress, createClientAddress, plainAddress } from '../http/client-address.js';
import { arrivalLimits } from '../http/http-limits.js';
import type { RequestHead, Route } from '../http/message.js';
import { createRequestGauge } from '../http/request-gauge.js';
import { createRequestPolicy } from '../http/request-policy.js';
import { createRouter, type Router } from '../http/router.js';
import { wsSockets } from '../http/ws-socket.js';
import { type CoreAppOptions, createCoreApp } from '../server/core-app.js';
import { UNGUESSABLE_CHARS } from '../server/reviewers.js';
import { createSite } from '../server/site.js';
import { createExchange } from './exchange.js';
import { keepParts } from './handler-parts.js';

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

/** What JavaScript callers may pass: an environment variable that is not set is `undefined`. */
type Given = { readonly [Name in keyof FetchHandlerOptions]?: unknown };

/** Throws `configuration`, with the option's name, for one that is missing or wrong. */
function checkFetchOptions(options: FetchHandlerOptions): void {
  const { engine, publicUrl, reviewers }: Given = options;
  if (!has(engine, 'ingestBatch')) refuse('engine', 'is missing. Pass what createEngine returns, awaited.');
  checkUrl(publicUrl);
  if (!Array.isArray(reviewers)) refuse('reviewers', 'is missing. Pass [{ name, token }].');
  for (const [at, reviewer] of (reviewers as unknown[]).entries()) {
    const { name, token } = Object(reviewer) as { readonly name?: unknown; readonly token?: unknown };
    if (typeof name !== 'string' || name.trim() === '') refuse(`reviewers.${at}.name`, 'is missing.');
    if (token === undefined || token === '')
      refuse(`reviewers.${at}.token`, 'is missing. Is its environment variable set?');
    if (typeof token !== 'string' || token.length < UNGUESSABLE_CHARS)
      refuse(
        `reviewers.${at}.token`,
        `must have at least ${UNGUESSABLE_CHARS} characters. Create one with: openssl rand -hex 32`,
      );
  }
}

function checkUrl(given: unknown): void {
  if (given === undefined) refuse('publicUrl', 'is missing. Pass the address that browsers use.');
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) refuse('publicUrl', 'must be an http(s) URL.');
  if (url?.search !== '' || url.hash !== '' || url.username !== '')
    refuse('publicUrl', 'must not contain a query, a fragment or a user.');
}

function has(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}

function refuse(option: string, why: string): never {
  throw new CulpritError('configuration', `createFetchHandler: ${option} ${why}`, { path: option });
}

/** The batch belongs to no edge: 0 moves no watermark, and duplicates are detected by event id alone. */
const NO_SEQUENCE = 0;

/**
 * Takes the place of the edge's spool: deliveries are stored by the engine in one atomic write. Deliveries that the
 * engine cannot read are refused at once, because there are no dead letters.
 */
function engineSpool(engine: Engine): DoorContext['spool'] {
  return {
    async append(deliveries) {
      const { outcomes } = await engine.ingestBatch({
        edge: 'fetch',
        deliveries: deliveries.map((delivery) => ({
          ...delivery,
          crash: objectOf(delivery),
          sequence: NO_SEQUENCE,
        })),
      });
      const invalid = outcomes.find(({ outcome }) => outcome === 'invalid');
      if (invalid) throw new CulpritError('malformed', invalid.detail ?? 'The crash cannot be read.');
    },
  };
}

function objectOf({ crash }: NewDelivery): JsonObject {
  return crash instanceof Uint8Array ? (JSON.parse(Buffer.from(crash).toString()) as JsonObject) : crash;
}

/** The head of a standard request. `address` is the socket's peer, empty if unknown. */
function readRequestHead(
  request: Request,
  { basePath, address, clientAddress }: RequestSurroundings,
): RequestHead {
  const url = new URL(request.url);
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of request.headers) headers[name] = value;
  headers.host ??= url.host;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of url.searchParams) query[name] = value;
  return {
    method: request.method.toUpperCase(),
    path: withoutBase(url.pathname, basePath),
    params: {},
    query,
    headers,
    remoteAddress: clientAddress(plainAddress(address) ?? address, headers['x-forwarded-for']),
    receivedAt: Date.now(),
  };
}

interface RequestSurroundings {
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string;
  readonly address: string;
  readonly clientAddress: ClientAddress;
}

/** A path outside of the base is not changed: some frameworks remove the path of a mount. */
function withoutBase(path: string, base: string): string {
  if (base === '' || !(path === base || path.startsWith(`${base}/`))) return path;
  return path.slice(base.length) || '/';
}

/**
 * The peer's address from the framework's context: `{ remoteAddress }` of `nodeListener`, or the bindings of Hono's
 * Node server. Otherwise empty.
 */
function addressOf(context: unknown): string {
  const direct = member(context, 'remoteAddress');
  if (typeof direct === 'string') return direct;
  const peer = member(member(member(context, 'incoming'), 'socket'), 'remoteAddress');
  return typeof peer === 'string' ? peer : '';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
