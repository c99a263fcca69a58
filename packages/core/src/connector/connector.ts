import type { CodeHost } from '../ports/code-host.js';
import type { Explainer } from '../ports/explainer.js';
import type { Logger } from '../ports/logger.js';
import type { Notifier } from '../ports/notifier.js';
import type { Publisher } from '../ports/publisher.js';
import type { RunHistory } from '../ports/run-history.js';
import type { RunStore } from '../ports/run-store.js';
import type { StatusFeed } from '../ports/status-feed.js';
import type { Tracker } from '../ports/tracker.js';
import type { Values } from '../ports/values.js';

/** What a connector may bring. `runStore`, `runHistory`, `statusFeed` and `values` come together from one storage. */
export interface Ports {
  readonly tracker?: Tracker;
  readonly codeHost?: CodeHost;
  readonly explainer?: Explainer;
  readonly publisher?: Publisher;
  readonly notifier?: Notifier;
  readonly runStore?: RunStore;
  readonly runHistory?: RunHistory;
  readonly statusFeed?: StatusFeed;
  readonly values?: Values;
}

/** One line of `/readyz` and `culprit doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong and how to mend it, or what was found. */
  readonly detail: string;
  /** True: Culprit does its work without it, so a failure does not make it unready. */
  readonly optional?: true;
}

/** The ports a connector implements, plus its own check and close. */
export interface ConnectorParts extends Ports {
  /** Must end within the signal's time; a rejection counts as a failed check. */
  check?(signal: AbortSignal): Promise<readonly Check[]>;
  close?(): Promise<void>;
}

/** What the engine gives a connector at setup. */
export interface ConnectorContext {
  /** The only way to the network. */
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  /** Aborted when the engine closes. */
  readonly signal: AbortSignal;
  /**
   * The connector's own corner of the engine's storage, ready once all connectors are set up: before that it rejects.
   * Absent where a connector runs without an engine (a tracker at the edge).
   */
  readonly values?: Values;
}

/** A configured connector, ready for `createEngine`. Made by a factory from {@link defineConnector}. */
export interface Connector {
  readonly id: string;
  setup(context: ConnectorContext): ConnectorParts | Promise<ConnectorParts>;
}
