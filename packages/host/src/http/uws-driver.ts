import { CulpritError, type Logger } from '@culprit/core';
import { once } from '@culprit/core/resilience';
import { type ArrivalFigures, createArrivals } from './arrivals.js';
import { createClientAddress } from './client-address.js';
import { createDeadlines } from './deadlines.js';
import { arrivalLimits, HTTP_LIMITS, type HttpLimits } from './http-limits.js';
import type { Route, SocketRoute } from './message.js';
import { createRequestGauge, type Load } from './request-gauge.js';
import { createRequestPolicy, type Refusals } from './request-policy.js';
import { createRouter } from './router.js';
import { runExchange } from './uws-exchange.js';
import { peerOf, readHead } from './uws-head.js';
import { loadUws, type UwsApp, type UwsListenSocket, type UwsResponse } from './uws-load.js';
import { mountSocket } from './uws-socket.js';
import { runStream } from './uws-stream.js';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly sockets?: readonly SocketRoute[];
  /** Read for each request, so an operator can change them at any time. */
  readonly limits?: Partial<HttpLimits>;
  /** Addresses and CIDR blocks whose `x-forwarded-for` is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly refusals?: Refusals;
  /** Whether a peer may open another connection. Default: every peer. */
  readonly mayConnect?: (peer: string) => boolean;
  readonly logger: Logger;
}

export interface Listening {
  readonly port: number;
  load(): Load;
  arrivals(): ArrivalFigures;
  /** Stops accepting connections, waits up to `closeMs` for requests in progress, then closes the rest. */
  close(): Promise<void>;
}

/** Serves routes on uWebSockets.js. Rejects with `configuration` if the port is in use. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const limits = options.limits ?? {};
  const uws = await loadUws();
  const app = uws.App();
  const gauge = createRequestGauge(() => ({
    concurrent: limits.concurrent ?? HTTP_LIMITS.concurrent,
    reserved: limits.reserved ?? HTTP_LIMITS.reserved,
  }));
  const arrivals = createArrivals(arrivalLimits(limits));
  const deadlines = createDeadlines(() => limits.requestMs ?? HTTP_LIMITS.requestMs);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const sockets = (options.sockets ?? []).map((route) =>
    mountSocket(uws, app, { route, clientAddress, logger: options.logger }),
  );
  const router = createRouter(options.routes);

  const policy = createRequestPolicy({ gauge, refusals: options.refusals ?? {}, logger: options.logger });

  const { mayConnect } = options;
  if (mayConnect !== undefined) {
    const opened = (res: UwsResponse) => {
      if (!mayConnect(peerOf(res))) res.close();
    };
    // Called with 1 when a connection opens, with -1 when it closes.
    app.filter((res, count) => (Number(count) > 0 ? opened(res) : undefined));
  }
  app.any('/*', (res, req) => {
    const read = readHead(req, res, clientAddress);
    const match = router(read.head.method, read.head.path);
    const route = 'route' in match ? match.route : NO_ROUTE;
    const { head } = read;
    if ('route' in match) head.params = match.params;
    gauge.enter();
    const early = 'answer' in match ? match.answer : policy.admit(head, route);
    const exchange = { read, res, route, deadlines, policy, arrivals, finished: gauge.leave };
    if (route.streams === true && early === null && !read.ambiguous) runStream(exchange);
    else runExchange(exchange, early);
  });

  const token = await bind(app, options.host, options.port);
  return {
    port: uws.us_socket_local_port(token),
    load: gauge.load,
    arrivals: arrivals.figures,
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

/** The native code accepts host and options together; the published types only one of them. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  bound: (token: UwsListenSocket | false) => void,
) => void;
/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it, a second server silently shares the port. */
const EXCLUSIVE_PORT = 1;

function bind(app: UwsApp, host: string, port: number): Promise<UwsListenSocket> {
  return new Promise((resolve, reject) => {
    const listen = app.listen.bind(app) as unknown as ListenOnHost;
    listen(host, port, EXCLUSIVE_PORT, (token) => {
      if (token) return resolve(token);
      app.close();
      const fix = 'Stop the other process, or choose another port (0: any free one).';
      reject(new CulpritError('configuration', `Cannot listen on ${host}:${port}. ${fix}`));
    });
  });
}
