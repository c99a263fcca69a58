import { CulpritError } from '../errors/error.js';
import type { CacheStore } from '../ports/cache.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Explainer } from '../ports/explainer.js';
import type { Notifier } from '../ports/notifier.js';
import type { PersonErasure } from '../ports/person-erasure.js';
import type { Publisher } from '../ports/publisher.js';
import type { RunHistory } from '../ports/run-history.js';
import type { RunOccurrences } from '../ports/run-occurrences.js';
import type { RunStore } from '../ports/run-store.js';
import type { RunUsage } from '../ports/run-usage.js';
import type { RunValues } from '../ports/run-values.js';
import type { StatusFeed } from '../ports/status-feed.js';
import type { Tracker } from '../ports/tracker.js';
import type { Values } from '../ports/values.js';
import { untilAborted } from '../resilience/time-limit.js';
import type { Check, Connector, ConnectorContext, ConnectorParts } from './connector.js';

/** The ports of all connectors. */
export interface Registry {
  readonly codeHost: CodeHost | null;
  readonly publisher: Publisher | null;
  readonly runStore: RunStore;
  readonly runHistory: RunHistory;
  readonly runOccurrences: RunOccurrences | null;
  readonly runValues: RunValues | null;
  readonly runUsage: RunUsage | null;
  readonly personErasure: PersonErasure | null;
  readonly statusFeed: StatusFeed;
  readonly values: Values;
  readonly cache: CacheStore | null;
  /** In the order of the connectors. */
  readonly explainers: readonly Explainer[];
  readonly notifiers: readonly { readonly id: string; readonly notifier: Notifier }[];
  readonly trackers: ReadonlyMap<string, Tracker>;
  check(signal: AbortSignal): Promise<readonly Check[]>;
  /** Closes all in reverse order, then rejects with the first failure. */
  close(): Promise<void>;
}

interface Started {
  readonly id: string;
  readonly parts: ConnectorParts;
}

/** Sets connectors up in order. If one fails, those before it are closed again. */
export async function startConnectors(
  connectors: readonly Connector[],
  contextOf: (id: string) => ConnectorContext,
): Promise<Registry> {
  const started: Started[] = [];
  try {
    for (const connector of connectors) {
      if (started.some(({ id }) => id === connector.id)) {
        throw new CulpritError(
          'configuration',
          `Connector "${connector.id}" is configured twice. Remove one.`,
        );
      }
      started.push({ id: connector.id, parts: await connector.setup(contextOf(connector.id)) });
    }
    return register(started);
  } catch (error) {
    await closeAll(started).catch(() => {});
    throw error;
  }
}

function register(started: readonly Started[]): Registry {
  const one = <Port extends keyof ConnectorParts>(port: Port) => {
    const offers = started.filter(({ parts }) => parts[port] !== undefined);
    if (offers.length > 1) {
      const names = offers.map(({ id }) => `"${id}"`).join(' and ');
      throw new CulpritError('configuration', `Connectors ${names} both implement ${port}. Remove one.`);
    }
    return offers[0]?.parts[port] ?? null;
  };
  const needed = <Port extends 'runStore' | 'runHistory' | 'statusFeed' | 'values'>(port: Port) => {
    const found = one(port);
    if (found === null) {
      const hint =
        'Add a storage connector, such as storage({ url: "file:.culprit" }) of @culprit/connectors/storage.';
      throw new CulpritError('connector_missing', `No connector implements ${port}. ${hint}`);
    }
    return found as NonNullable<ConnectorParts[Port]>;
  };
  return {
    codeHost: one('codeHost'),
    publisher: one('publisher'),
    runStore: needed('runStore'),
    runHistory: needed('runHistory'),
    runOccurrences: one('runOccurrences'),
    runValues: one('runValues'),
    runUsage: one('runUsage'),
    personErasure: one('personErasure'),
    statusFeed: needed('statusFeed'),
    values: needed('values'),
    cache: one('cache'),
    explainers: started.flatMap(({ parts }) => parts.explainer ?? []),
    notifiers: started.flatMap(({ id, parts }) => (parts.notifier ? [{ id, notifier: parts.notifier }] : [])),
    trackers: new Map(started.flatMap(({ id, parts }) => (parts.tracker ? [[id, parts.tracker]] : []))),
    check: (signal) => checkAll(started, signal),
    close: () => closeAll(started),
  };
}

async function checkAll(started: readonly Started[], signal: AbortSignal): Promise<readonly Check[]> {
  const checks = started.map(async ({ id, parts }): Promise<readonly Check[]> => {
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

async function closeAll(started: readonly Started[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { parts } of [...started].reverse()) {
    try {
      await parts.close?.();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
