import { CulpritError } from '../errors/error.js';
import type { CacheStore } from '../ports/cache.js';
import type { Logger } from '../ports/logger.js';
import type { Tracker } from '../ports/tracker.js';
import type { Values } from '../ports/values.js';
import { untilAborted } from '../resilience/time-limit.js';
import type { Check, Connector, ConnectorContext, ConnectorParts } from './connector.js';
import { fetchInTime } from './fetch-in-time.js';

/** What all connectors get. */
interface Given {
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The engine's own storage, which connectors use once it is known. */
interface Shared {
  readonly values: Values;
  readonly cache: CacheStore | null;
}

/** What one connector offers. */
export interface Started {
  readonly id: string;
  readonly parts: ConnectorParts;
}

/** The connectors of one engine, in order. */
export class Connectors {
  readonly started: Started[] = [];
  private shared: Shared | null = null;

  /** Sets them up in order. If one fails, those before it are to be closed. */
  async start(connectors: readonly Connector[], given: Given): Promise<void> {
    const own = { ...given, fetch: fetchInTime(given.fetch) };
    for (const connector of connectors) {
      const { id } = connector;
      if (this.started.some((other) => other.id === id))
        throw new CulpritError('configuration', `Connector "${id}" is configured twice. Remove one.`);
      this.started.push({ id, parts: await connector.setup(this.context(id, own)) });
    }
  }

  /** From now on connectors can use the storage. */
  share(shared: Shared): void {
    this.shared = shared;
  }

  /** By the connector's id. */
  trackers(): ReadonlyMap<string, Tracker> {
    return new Map(this.started.flatMap(({ id, parts: { tracker } }) => (tracker ? [[id, tracker]] : [])));
  }

  async check(signal: AbortSignal): Promise<readonly Check[]> {
    const checks = this.started.map(async ({ id, parts }): Promise<readonly Check[]> => {
      const work = async () => parts.check?.(signal) ?? [];
      try {
        return await untilAborted(work(), signal);
      } catch (error) {
        const why = error instanceof Error ? error.message : 'The check failed.';
        return [{ name: id, ok: false, detail: signal.aborted ? 'timed out' : why }];
      }
    });
    return (await Promise.all(checks)).flat();
  }

  /** Closes all in reverse order, then rejects with the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const { parts } of this.started.toReversed()) {
      try {
        await parts.close?.();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private context(id: string, own: Given): ConnectorContext {
    const values = () => {
      if (this.shared !== null) return this.shared.values;
      const detail = 'The engine is still starting. Use values in a port’s methods, not in setup.';
      throw new CulpritError('storage_unavailable', detail);
    };
    const named = (key: string) => `connector:${id}:${key}`;
    return {
      ...own,
      values: {
        get: async (key) => values().get(named(key)),
        set: async (key, value, ttlMs) => values().set(named(key), value, ttlMs),
        change: async (key, decide, ttlMs) => values().change(named(key), decide, ttlMs),
        delete: async (key) => values().delete(named(key)),
      },
      cache: () => this.shared?.cache ?? null,
    };
  }
}
