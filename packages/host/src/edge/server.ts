import { createHash, timingSafeEqual } from 'node:crypto';
import { CulpritError, type JsonObject, type Logger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import { type Sanitiser, standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { isLoopback } from '../http/client-address.js';
import { createConnectionLimit } from '../http/connection-limit.js';
import type { DriverChoice } from '../http/driver.js';
import type { RequestHead } from '../http/message.js';
import { type Listening, listen } from '../http/server.js';
import { createCleanBytesReader } from './clean-bytes/clean-bytes.js';
import { createCoreClient } from './core-client.js';
import { doorRoutes } from './doors/door-routes.js';
import { type Forwarder, type ForwarderOptions, startForwarder } from './forwarder.js';
import type { GuardTelemetry } from './guards/guard-telemetry.js';
import { createGuards } from './guards/guards.js';
import { guardTelemetry } from './guards/telemetry.js';
import { EDGE_LIMITS, type EdgeLimits, edgeHttpLimits } from './limits.js';
import { adjustableLimits } from './operator/adjustable-limits.js';
import { watchCommandFiles } from './operator/command-files.js';
import { createOperator } from './operator/operator.js';
import type { OwnDoor } from './operator/test-crash.js';
import { probeRoutes } from './probe-routes.js';
import { openSpool, type Spool, type SpoolLimits } from './spool/spool.js';

/** What `startEdge` needs. */
export interface EdgeOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** By connector id. `native` and `sentry` have doors of their own; all others serve `/webhook/{id}`. */
  readonly trackers: ReadonlyMap<string, Tracker>;
  /** Who may read `/api/v1/guard` and `/metrics`. */
  readonly serviceTokens: readonly ServiceToken[];
  /** They need a token also from this machine. Default: false. */
  readonly figuresNeedToken?: boolean;
  readonly coreUrl: string;
  readonly internalSecret: string;
  /** Holds the spool, identity and dead letters. No other process may use it. */
  readonly spoolDirectory: string;
  readonly trustedProxies: readonly string[];
  readonly limits?: Partial<EdgeLimits>;
  readonly logger: Logger;
  /** What serves HTTP. Default: `auto`. */
  readonly httpDriver?: DriverChoice;
  /** Accepts Brotli bodies. Default: false. */
  readonly brotli?: boolean;
  /** Default: the standard sanitiser. */
  readonly sanitiser?: Sanitiser;
  readonly spool?: Partial<Pick<SpoolLimits, 'segmentBytes' | 'keepMs'>>;
  readonly forwarder?: Pick<
    ForwarderOptions,
    'records' | 'bytes' | 'heartbeatMs' | 'firstPauseMs' | 'longestPauseMs'
  >;
}

export interface EdgeServer {
  readonly port: number;
  readonly url: string;
  /** What serves HTTP, and why it is not the faster one. */
  readonly servedBy: string;
  guard(): GuardTelemetry;
  /**
   * Stops listening, finishes requests in progress and closes the spool. Deliveries that core has not accepted stay on
   * disk.
   */
  close(): Promise<void>;
}

/** Starts server A. Rejects with `configuration` if the port or the spool is in use. */
export async function startEdge(options: EdgeOptions): Promise<EdgeServer> {
  const { logger, host, sanitiser = standardSanitiser } = options;
  const startedAt = Date.now();
  const configured = { ...EDGE_LIMITS, ...options.limits };
  const adjustable = await adjustableLimits(options.spoolDirectory, configured, logger);
  const { limits } = adjustable;
  const guards = createGuards(limits);
  const spool = await openOwnSpool(options, limits);
  let server: Listening | null = null;
  let forwarder: Forwarder | null = null;
  let closing: Promise<void> | null = null;
  const telemetry = () =>
    guardTelemetry({
      guards,
      settings: adjustable.settings(),
      spool,
      startedAt,
      http: () => server?.driver ?? null,
      load: () => server?.load() ?? NO_LOAD,
      arrivals: () => server?.arrivals() ?? NO_ARRIVALS,
      forwarder: () => forwarder?.stats() ?? NOT_STARTED,
    });
  const doors = doorRoutes(
    {
      guards,
      spool,
      sanitise: sanitiser.json,
      readCleanBytes: createCleanBytesReader(sanitiser),
      brotli: options.brotli === true,
      logger,
    },
    options.trackers,
  );
  const access = createServiceAccess(options.serviceTokens, options.figuresNeedToken);
  try {
    server = await listen({
      host,
      port: options.port,
      routes: [...doors.routes, ...probeRoutes({ spool, telemetry, access })],
      refusals: doors.refusals,
      limits: edgeHttpLimits(limits),
      trustedProxies: options.trustedProxies,
      driver: options.httpDriver,
      mayConnect: createConnectionLimit({
        rate: () => limits.addressRate,
        burst: () => limits.addressBurst,
        trustedProxies: options.trustedProxies,
      }),
      logger,
    });
  } catch (error) {
    await spool.close();
    throw error;
  }
  const url = urlOf(host, server.port);
  const core = createCoreClient({ coreUrl: options.coreUrl, secret: options.internalSecret });
  const operator = createOperator({ spool, limits: adjustable, door: ownDoor(url, options), logger });
  const report = () => ({
    guard: { ...telemetry(), url } as unknown as JsonObject,
    limits: adjustable.settings(),
    dead_letters: spool.deadLetters.summaries().slice(-REPORTED_LETTERS),
  });
  forwarder = startForwarder({ ...options.forwarder, spool, core, operator, report, logger });
  const stopWatching = watchCommandFiles(options.spoolDirectory, operator, logger);
  return {
    port: server.port,
    url,
    servedBy: server.servedBy,
    guard: telemetry,
    close() {
      closing ??= (async () => {
        await server?.close();
        await stopWatching();
        await forwarder?.close();
        await spool.close();
      })();
      return closing;
    },
  };
}

/** With limits that an operator may change. */
function openOwnSpool({ spoolDirectory, spool, logger }: EdgeOptions, limits: EdgeLimits): Promise<Spool> {
  return openSpool({
    directory: spoolDirectory,
    logger,
    limits: {
      ...spool,
      get bytes() {
        return limits.spoolBytes;
      },
      get deliveries() {
        return limits.spoolDeliveries;
      },
    },
  });
}

function ownDoor(url: string, { serviceTokens }: EdgeOptions): OwnDoor {
  return { url, token: serviceTokens[0]?.token ?? null };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Dead letters reported to core; `culprit edges --spool --all` shows all. */
const REPORTED_LETTERS = 100;

const NO_LOAD = { now: 0, largest: 0, allowed: 0, refused: 0 };
const NONE = { address: 0, all: 0, none: 0, public: 0 };
const NO_ARRIVALS = { now: 0, allowed: 0, refused: NONE, largest: NONE, largestShare: 0 };
const NOT_STARTED = {
  state: 'idle',
  sent: 0,
  failures: 0,
  last_error: null,
  watermark: null,
  oldest_at: null,
  circuit: 'closed',
} as const;

interface ServiceToken {
  readonly name: string;
  readonly token: string;
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];
const LOCAL_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Guard figures need a service token, or a request from this machine without forwarding headers or a foreign `Host`
 * (DNS rebinding). `always`: every request needs a token, for a proxy on this machine that adds no such header. Throws
 * `unauthenticated` otherwise.
 */
function createServiceAccess(tokens: readonly ServiceToken[], always = false): (head: RequestHead) => void {
  const digests = tokens.filter(({ token }) => token !== '').map(({ token }) => digest(token));
  return ({ headers, remoteAddress }) => {
    const presented = headers['x-service-token'];
    if (presented !== undefined) {
      const given = digest(presented);
      let known = false;
      for (const token of digests) known = timingSafeEqual(token, given) || known;
      if (known && presented !== '') return;
      throw new CulpritError('unauthenticated', 'The header x-service-token holds no active token.');
    }
    const direct = !always && FORWARDING.every((name) => headers[name] === undefined);
    if (direct && isLoopback(remoteAddress) && LOCAL_HOST.test(headers.host ?? '')) return;
    throw new CulpritError('unauthenticated', 'Send a service token in the header x-service-token.');
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
