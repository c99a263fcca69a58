import type { RunSummary } from '../domain/run.js';

/** A place in the feed. `epoch` changes when numbering starts anew (a new or restored store). */
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
 * Every change of every run, numbered by the store without gaps. Law: an entry is visible to `since` once the
 * write that made it has resolved, on every process that shares the store; listeners get entries in order, each
 * once, and must not throw.
 */
export interface StatusFeed {
  head(): Promise<FeedCursor>;
  /** Entries after the cursor, oldest first; `null` if the buffer no longer reaches back so far, or on another epoch. */
  since(cursor: FeedCursor, limit: number): Promise<readonly FeedEntry[] | null>;
  /**
   * Returns how to stop listening. `reset` is called when the epoch has changed while the process ran (a shared store
   * failed over): what was heard before cannot be continued, and what follows begins after `head`.
   */
  watch(listener: (entry: FeedEntry) => void, reset?: (head: FeedCursor) => void): () => void;
}
