import type { CacheStore } from '../ports/cache.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Explainer } from '../ports/explainer.js';
import type { Investigator } from '../ports/investigator.js';
import type { Logger } from '../ports/logger.js';
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

/** The ports of a connector. One storage connector provides `runStore`, `runHistory`, `statusFeed` and `values` together. */
export interface Ports {
  readonly tracker?: Tracker;
  readonly codeHost?: CodeHost;
  readonly explainer?: Explainer;
  readonly investigator?: Investigator;
  readonly publisher?: Publisher;
  readonly notifier?: Notifier;
  readonly runStore?: RunStore;
  readonly runHistory?: RunHistory;
  readonly runOccurrences?: RunOccurrences;
  readonly runValues?: RunValues;
  readonly runUsage?: RunUsage;
  readonly personErasure?: PersonErasure;
  readonly statusFeed?: StatusFeed;
  readonly values?: Values;
  readonly cache?: CacheStore;
}

type Needed = 'runStore' | 'runHistory' | 'statusFeed' | 'values';
type Several = 'tracker' | 'explainer' | 'notifier';

/** The ports of which an engine has one. `null`: no connector offers it. */
export type OnePorts = {
  readonly [Name in Exclude<keyof Ports, Several>]-?:
    | NonNullable<Ports[Name]>
    | (Name extends Needed ? never : null);
};

/** One line of `/readyz` and `culprit doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong and how to fix it, or what was found. */
  readonly detail: string;
  /** True if Culprit works without it, so that a failure does not affect readiness. */
  readonly optional?: true;
}

/** The ports a connector implements, plus its own check and close. */
export interface ConnectorParts extends Ports {
  /** Must end before the signal aborts; a rejection is a failed check. */
  check?(signal: AbortSignal): Promise<readonly Check[]>;
  close?(): Promise<void>;
}

/** What the engine gives a connector at setup. */
export interface ConnectorContext {
  /** The connector's only access to the network. */
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  /** Aborted when the engine closes. */
  readonly signal: AbortSignal;
  /**
   * The engine's storage, namespaced by the connector's id. Rejects until all connectors are set up.
   * Absent if a connector runs without an engine (a tracker on the edge).
   */
  readonly values?: Values;
  /** Where caches are shared; `null` if nowhere, or until all connectors are set up: a cache is then kept in memory. */
  readonly cache?: () => CacheStore | null;
}

/** A configured connector for `createEngine`, returned by a factory from {@link defineConnector}. */
export interface Connector {
  readonly id: string;
  setup(context: ConnectorContext): ConnectorParts | Promise<ConnectorParts>;
}
