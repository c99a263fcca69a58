import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, isCulpritError } from '@culprit/core';
import { once } from '@culprit/core/internal/resilience/once';
import { urlOf } from '../config/network.js';
import { createConnectionLimit } from '../http/connection-limit.js';
import type { DriverChoice } from '../http/driver.js';
import { listen } from '../http/server.js';
import { type CoreApp, type CoreAppOptions, createCoreApp } from './core-app.js';
import { createSite } from './site.js';

/** What `startCore` needs. */
export interface CoreOptions extends CoreAppOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /**
   * The engine, or a function that creates it once core's URL is known. The server closes an engine that it created, but not
   * one that was passed in.
   */
  readonly engine: Engine | ((publicUrl: string) => Promise<Engine>);
  /** If the storage is unreachable at start, wait for it and answer requests with 503. */
  readonly awaitStorage?: boolean;
  /** The public URL of the board. Default: core's own URL. */
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
  /** What serves HTTP. Default: `auto`. */
  readonly httpDriver?: DriverChoice;
}

/** A running core server. */
export interface CoreServer {
  readonly port: number;
  /** The URL of the board. */
  readonly url: string;
  /** What serves HTTP, and why it is not the faster one. */
  readonly servedBy: string;
  close(): Promise<void>;
}

/** New connections of one address a second; five times as many at once. */
const CONNECTIONS = 200;

/** Starts core (Server B): gates, runs, live feed, board and OpenAPI document for one engine. */
export async function startCore(options: CoreOptions): Promise<CoreServer> {
  const { logger } = options;
  const app = createCoreApp(options);
  const listening = await listen({
    host: options.host,
    port: options.port,
    routes: app.routes,
    sockets: [app.live],
    trustedProxies: options.trustedProxies ?? [],
    driver: options.httpDriver,
    limits: { requestMs: 30_000 },
    mayConnect: createConnectionLimit({
      rate: () => CONNECTIONS,
      burst: () => CONNECTIONS * 5,
      trustedProxies: options.trustedProxies ?? [],
    }),
    logger,
  });
  const { port } = listening;
  const publicUrl = options.publicUrl ?? urlOf(options.host, port);
  const site = createSite({ publicUrl, port, allowedHosts: options.allowedHosts ?? [] });
  app.placedAt(site);
  const starting = startEngine(options, app, site.url);
  try {
    await starting.attempted;
  } catch (error) {
    app.failed(error);
    await listening.close();
    throw error;
  }
  const close = async () => {
    await app.close();
    await listening.close();
    await starting.stop();
  };
  return { port, url: site.url, servedBy: listening.servedBy, close: once(close) };
}

interface Starting {
  /** Resolves when the engine runs, or when its storage is unreachable. Rejects if it cannot start. */
  readonly attempted: Promise<void>;
  /** Stops waiting, or closes the engine that was created here. */
  stop(): Promise<void>;
}

const AGAIN_MS = 1_000;

function startEngine({ engine, awaitStorage, logger }: CoreOptions, app: CoreApp, url: string): Starting {
  if (typeof engine !== 'function') {
    app.started(engine);
    return { attempted: Promise.resolve(), stop: async () => {} };
  }
  const stopped = new AbortController();
  let own: Engine | null = null;
  const start = async () => {
    own = await engine(url);
    app.started(own);
  };
  const goOn = async () => {
    while (!stopped.signal.aborted) {
      await sleep(AGAIN_MS, undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return;
      try {
        await start();
        return logger.info({}, 'storage is reachable again');
      } catch (error) {
        app.delayed(error);
      }
    }
  };
  let going: Promise<void> = Promise.resolve();
  const attempted = start().catch((error: unknown) => {
    if (awaitStorage !== true || !isCulpritError(error, 'storage_unavailable')) throw error;
    logger.warn({ err: error }, 'storage is unreachable: answering 503 until it is back');
    app.delayed(error);
    going = goOn();
  });
  return {
    attempted,
    stop: async () => {
      stopped.abort();
      await going;
      await own?.close();
    },
  };
}
