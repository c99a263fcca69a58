import { CulpritError, type Logger } from '@culprit/core';
import { once } from '@culprit/core/resilience';
import { createClientAddress } from './client-address.js';
import { createDeadlines } from './deadlines.js';
import type { HttpResponse, Route, SocketRoute } from './message.js';
import { createRouter } from './router.js';
import { type Refusals, runExchange } from './uws-exchange.js';
import { type RequestHead, readHead } from './uws-head.js';
import { loadUws, type UwsApp, type UwsListenSocket } from './uws-load.js';
import { mountSocket } from './uws-socket.js';

export interface HttpLimits {
  /** A whole request, head to last byte, must arrive within this. */
  readonly requestMs: number;
  /** Requests under way at once, GET and HEAD aside; more are answered 503. */
  readonly concurrent: number;
  /** How long `close` waits for requests under way. */
  readonly closeMs: number;
}
export const HTTP_LIMITS: HttpLimits = { requestMs: 10_000, concurrent: 512, closeMs: 10_000 };

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly sockets?: readonly SocketRoute[];
  /** `concurrent` and `requestMs` are read for every request, so an operator may change them meanwhile. */
  readonly limits?: Partial<HttpLimits>;
  /** Addresses and CIDR blocks whose `x-forwarded-for` is believed. */
  readonly trustedProxies?: readonly string[];
  readonly refusals?: Refusals;
  readonly logger: Logger;
}

export interface Load {
  /** Requests under way. */
  readonly now: number;
  readonly largest: number;
  readonly allowed: number;
  readonly refused: number;
}

export interface Listening {
  readonly port: number;
  load(): Load;
  /** Stops taking connections, waits for requests under way (at most `closeMs`), then cuts what is left. */
  close(): Promise<void>;
}

/** Serves routes on uWebSockets.js. A port that is taken rejects with `configuration`. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const limits = options.limits ?? {};
  const uws = await loadUws();
  const app = uws.App();
  const gauge = createGauge(() => limits.concurrent ?? HTTP_LIMITS.concurrent);
  const deadlines = createDeadlines(() => limits.requestMs ?? HTTP_LIMITS.requestMs);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const sockets = (options.sockets ?? []).map((route) =>
    mountSocket(uws, app, { route, clientAddress, logger: options.logger }),
  );
  const router = createRouter(options.routes);

  const failed = (error: unknown, route: Route) => {
    if (!isExpected(error)) options.logger.error({ error, route: route.pattern }, 'a request handler failed');
  };
  const refusals = options.refusals ?? {};

  app.any('/*', (res, req) => {
    const read = readHead(req, res, clientAddress);
    const match = router(read.head.method, read.head.path);
    const route = 'route' in match ? match.route : NO_ROUTE;
    const { head } = read;
    if ('route' in match) head.params = match.params;
    const early = 'answer' in match ? match.answer : admit(gauge.enter(route.method), route, head, failed);
    if ('answer' in match) gauge.enter('GET');
    runExchange({ read, res, route, deadlines, refusals, failed, finished: gauge.leave }, early);
  });

  const token = await bind(app, options.host, options.port);
  return {
    port: uws.us_socket_local_port(token),
    load: gauge.load,
    // A second close of a native socket would crash the process.
    close: once(async () => {
      uws.us_listen_socket_close(token);
      for (const mounted of sockets) mounted.closeAll();
      await gauge.idle(limits.closeMs ?? HTTP_LIMITS.closeMs);
      deadlines.close();
      app.close();
    }),
  };
}

const NO_ROUTE: Route = { method: 'GET', pattern: '', handle: () => ({ status: 404 }) };

function isExpected(error: unknown): boolean {
  return error instanceof CulpritError && error.code !== 'internal';
}

function admit(
  entered: boolean,
  route: Route,
  head: RequestHead,
  failed: (error: unknown, route: Route) => void,
): CulpritError | HttpResponse | null {
  if (!entered) return new CulpritError('overloaded', 'Too many requests are under way; try again shortly.');
  try {
    return route.admit?.(head) ?? null;
  } catch (error) {
    failed(error, route);
    return error instanceof CulpritError
      ? error
      : new CulpritError('internal', 'See the log.', { cause: error });
  }
}

/** Counts requests under way. GET and HEAD are counted, never refused: health must answer under load. */
function createGauge(concurrent: () => number) {
  const load = { now: 0, largest: 0, allowed: 0, refused: 0 };
  let idle: (() => void) | null = null;
  return {
    load: (): Load => ({ ...load }),
    enter(method: string): boolean {
      const full = method !== 'GET' && load.now >= concurrent();
      load[full ? 'refused' : 'allowed']++;
      load.now++;
      load.largest = Math.max(load.largest, load.now);
      return !full;
    },
    leave(): void {
      load.now--;
      if (load.now === 0) idle?.();
    },
    idle: (ms: number) =>
      new Promise<void>((resolve) => {
        if (load.now === 0) return resolve();
        const timer = setTimeout(resolve, ms);
        idle = () => {
          clearTimeout(timer);
          // The last answer may still be on its way into the socket.
          setImmediate(resolve);
        };
      }),
  };
}

/** The native code takes host and options together; the published types know them only one by one. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  bound: (token: UwsListenSocket | false) => void,
) => void;
/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it a second server on the same port shares it in silence. */
const EXCLUSIVE_PORT = 1;

function bind(app: UwsApp, host: string, port: number): Promise<UwsListenSocket> {
  return new Promise((resolve, reject) => {
    const listen = app.listen.bind(app) as unknown as ListenOnHost;
    listen(host, port, EXCLUSIVE_PORT, (token) => {
      if (token) return resolve(token);
      app.close();
      const fix = 'Stop the program that listens there, or choose another port (0: any free one).';
      reject(new CulpritError('configuration', `Cannot listen on ${host}:${port}. ${fix}`));
    });
  });
}
