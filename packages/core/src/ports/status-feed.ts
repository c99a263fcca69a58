import type { Port } from '../domain/port.js';
import type { RunSummary } from '../domain/run.js';

/** A position in the feed. `epoch` changes when numbering restarts (a new or restored store). */
export interface FeedCursor {
  readonly epoch: string;
  readonly sequence: number;
}
/** A run's summary after one change, at its place in the feed. */
export interface FeedEntry {
  readonly sequence: number;
  readonly run: RunSummary;
}

/**
 * Every change of every run, numbered by the store without gaps. An entry is visible to `since` once the
 * write has resolved, in every process that shares the store. Listeners receive each entry once, in order,
 * and must not throw.
 */
export interface StatusFeed {
  head(): Promise<FeedCursor>;
  /** Entries after the cursor, oldest first; `null` if the buffer no longer contains them, or the epoch differs. */
  since(cursor: FeedCursor, limit: number): Promise<readonly FeedEntry[] | null>;
  /**
   * Returns a function that stops listening. `reset` is called when the epoch changes while the process runs (a shared store
   * failed over): earlier cursors are invalid, and the next entries follow `head`.
   */
  watch(listener: (entry: FeedEntry) => void, reset?: (head: FeedCursor) => void): () => void;
}
export const StatusFeed = Symbol('StatusFeed') as Port<StatusFeed>;
