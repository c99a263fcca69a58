import type { Engine } from '@culprit/core';
import { urlOf } from '../config/config.js';
import { type Listening, listen } from '../http/uws-driver.js';
import { type CoreApp, type CoreAppOptions, createCoreApp } from './core-app.js';
import { createSite } from './site.js';

export interface CoreOptions extends CoreAppOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * The engine to serve, or how to make it once core's address is known. One that is made here is closed with the
   * server; one that is handed over is not.
   */
  readonly engine: Engine | ((publicUrl: string) => Promise<Engine>);
  /** How browsers reach the board; absent: core's own address. */
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
}

export interface CoreServer {
  readonly port: number;
  /** How the board is reached. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Server B: gates, runs, live feed, board and API description over one engine. */
export async function startCore(options: CoreOptions): Promise<CoreServer> {
  const { logger } = options;
  const app = createCoreApp(options);
  const listening = await listen({
    host: options.host,
    port: options.port,
    routes: app.routes,
    sockets: [app.live],
    trustedProxies: options.trustedProxies ?? [],
    limits: { requestMs: 30_000 },
    logger,
  });
  const { port } = listening;
  const publicUrl = options.publicUrl ?? urlOf(options.host, port);
  const site = createSite({ publicUrl, port, allowedHosts: options.allowedHosts ?? [] });
  app.placedAt(site);
  const owned = typeof options.engine === 'function';
  let engine: Engine;
  try {
    engine = typeof options.engine === 'function' ? await options.engine(site.url) : options.engine;
    app.started(engine);
  } catch (error) {
    app.failed(error);
    await listening.close();
    throw error;
  }
  return { port, url: site.url, close: once(() => stop(app, listening, owned ? engine : null)) };
}

async function stop(app: CoreApp, listening: Listening, engine: Engine | null): Promise<void> {
  app.close();
  await listening.close();
  await engine?.close();
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= act();
    return done;
  };
}
