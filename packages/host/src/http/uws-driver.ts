import { CulpritError, type Logger } from '@culprit/core';
import { once } from '@culprit/core/resilience';
import { createClientAddress } from './client-address.js';
import { createDeadlines } from './deadlines.js';
import type { Route, SocketRoute } from './message.js';
import { createRequestGauge, type Load } from './request-gauge.js';
import { createRequestPolicy, type Refusals } from './request-policy.js';
import { createRouter } from './router.js';
import { runExchange } from './uws-exchange.js';
import { readHead } from './uws-head.js';
import { loadUws, type UwsApp, type UwsListenSocket } from './uws-load.js';
import { mountSocket } from './uws-socket.js';

export interface HttpLimits {
  /** A whole request, head to last byte, must arrive within this. */
  readonly requestMs: number;
  /** Requests in progress, except GET and HEAD; further ones get 503. */
  readonly concurrent: number;
  /** How long `close` waits for requests in progress. */
  readonly closeMs: number;
}
export const HTTP_LIMITS: HttpLimits = { requestMs: 10_000, concurrent: 512, closeMs: 10_000 };

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly sockets?: readonly SocketRoute[];
  /** `concurrent` and `requestMs` are read for each request, so an operator can change them at any time. */
  readonly limits?: Partial<HttpLimits>;
  /** Addresses and CIDR blocks whose `x-forwarded-for` is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly refusals?: Refusals;
  readonly logger: Logger;
}

export interface Listening {
  readonly port: number;
  load(): Load;
  /** Stops accepting connections, waits up to `closeMs` for requests in progress, then closes the rest. */
  close(): Promise<void>;
}

/** Serves routes on uWebSockets.js. Rejects with `configuration` if the port is in use. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const limits = options.limits ?? {};
  const uws = await loadUws();
  const app = uws.App();
  const gauge = createRequestGauge(() => limits.concurrent ?? HTTP_LIMITS.concurrent);
  const deadlines = createDeadlines(() => limits.requestMs ?? HTTP_LIMITS.requestMs);
  const clientAddress = createClientAddress(options.trustedProxies ?? []);
  const sockets = (options.sockets ?? []).map((route) =>
    mountSocket(uws, app, { route, clientAddress, logger: options.logger }),
  );
  const router = createRouter(options.routes);

  const policy = createRequestPolicy({ gauge, refusals: options.refusals ?? {}, logger: options.logger });

  app.any('/*', (res, req) => {
    const read = readHead(req, res, clientAddress);
    const match = router(read.head.method, read.head.path);
    const route = 'route' in match ? match.route : NO_ROUTE;
    const { head } = read;
    if ('route' in match) head.params = match.params;
    if ('answer' in match) gauge.enter('GET');
    const early = 'answer' in match ? match.answer : policy.admit(head, route);
    runExchange({ read, res, route, deadlines, policy, finished: gauge.leave }, early);
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
