import type { Logger } from '@culprit/core';
import { once } from '@culprit/core/internal/resilience/once';
import { type ArrivalFigures, createArrivals } from './arrivals.js';
import { chooseDriver, servedBy } from './choose-driver.js';
import { createClientAddress } from './client-address.js';
import { createDeadlines } from './deadlines.js';
import type { BindOptions, DriverChoice, DriverName } from './driver.js';
import { ambiguousHead, runExchange } from './exchange.js';
import { arrivalLimits, HTTP_LIMITS, type HttpLimits } from './http-limits.js';
import type { Route, SocketRoute } from './message.js';
import { createRequestGauge, type Load } from './request-gauge.js';
import { RequestInHand } from './request-in-hand.js';
import { createRequestPolicy, type Refusals } from './request-policy.js';
import { createRouter } from './router.js';
import { runStream } from './stream-exchange.js';

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
  /** Default: `auto`. */
  readonly driver?: DriverChoice | undefined;
  readonly logger: Logger;
}

export interface Listening {
  readonly port: number;
  readonly driver: DriverName;
  /** What serves, and why it is not the faster one. */
  readonly servedBy: string;
  load(): Load;
  arrivals(): ArrivalFigures;
  /** Stops accepting connections, waits up to `closeMs` for requests in progress, then closes the rest. */
  close(): Promise<void>;
}

/** Serves routes. Rejects with `configuration` if the port is in use, or the driver cannot be loaded. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const limits = options.limits ?? {};
  const { logger, sockets = [], mayConnect = () => true } = options;
  const chosen = await chooseDriver(options.driver);
  const { driver } = chosen;
  const gauge = createRequestGauge(() => ({
    concurrent: limits.concurrent ?? HTTP_LIMITS.concurrent,
    reserved: limits.reserved ?? HTTP_LIMITS.reserved,
  }));
  const arrivals = createArrivals(arrivalLimits(limits));
  const deadlines = createDeadlines(() => limits.requestMs ?? HTTP_LIMITS.requestMs);
  const router = createRouter(options.routes);
  const policy = createRequestPolicy({ gauge, refusals: options.refusals ?? {}, logger });
  const request: BindOptions['request'] = (read, wire) => {
    const { head } = read;
    const match = router(head.method, head.path);
    const route = 'route' in match ? match.route : NO_ROUTE;
    if ('route' in match) head.params = match.params;
    gauge.enter();
    const early = 'answer' in match ? match.answer : policy.admit(head, route);
    const exchange = { read, wire, route, deadlines, policy, arrivals, finished: gauge.leave };
    if (route.streams === true && early === null && !read.ambiguous) runStream(exchange);
    else runExchange(exchange, early);
  };
  const bound = await driver.bind({
    host: options.host,
    port: options.port,
    sockets,
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    mayConnect,
    request,
    malformed(method, path, peer) {
      const match = router(method, path);
      const head = new RequestInHand(method, path, {}, {}, peer, Date.now());
      return policy.refuse(ambiguousHead(), head, 'route' in match ? match.route : NO_ROUTE);
    },
    logger,
  });
  return {
    port: bound.port,
    driver: driver.name,
    servedBy: servedBy(chosen),
    load: gauge.load,
    arrivals: arrivals.figures,
    close: once(async () => {
      bound.stop();
      await gauge.idle(limits.closeMs ?? HTTP_LIMITS.closeMs);
      deadlines.close();
      await bound.close();
    }),
  };
}

const NO_ROUTE: Route = { method: 'GET', pattern: '', handle: () => ({ status: 404 }) };
