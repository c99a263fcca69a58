import type { NewHistoryEntry } from '../domain/history.js';
import type { Run, RunRecord } from '../domain/run.js';

/** Two runs, and what is to become of them. */
export interface PairChange {
  readonly run_id: string;
  /** `null`: the run that the first one was merged into. */
  readonly into: string | null;
  /** ISO 8601; becomes `updated_at` of both. */
  readonly now: string;
  /** Must be pure, because it may run several times. It may throw to refuse. */
  readonly decide: (found: FoundPair) => DecidedPair;
}
/** Two runs as one write reads them. */
export interface FoundPair {
  readonly run: RunRecord;
  /** `null`: retention has deleted it. */
  readonly into: RunRecord | null;
  /**
   * Ids of the runs from the latest one of each fingerprint along its merges; the last counts the fingerprint's next crash.
   */
  readonly ways: { readonly run: readonly string[]; readonly into: readonly string[] };
}
/** What the two runs are changed to: state, cycle, counts and members. Nothing else is stored. */
export interface DecidedPair {
  readonly run: DecidedRun;
  /** `null`: unchanged. */
  readonly into: DecidedRun | null;
}
/** One of two runs that change together, with its history entries. */
export interface DecidedRun {
  readonly run: Run;
  readonly history: readonly NewHistoryEntry[];
}
/** Two runs after the change. */
export interface ChangedPair {
  readonly run: RunRecord;
  readonly into: RunRecord | null;
}

/**
 * Changes two runs together; a part of `RunStore`. `changePair` reads both, calls `decide` and stores both, atomically with their
 * history and feed entries, and raises both versions. A crash that arrives meanwhile is counted before or after it, never twice.
 * An unknown first run rejects with `run_not_found`.
 */
export interface RunPairs {
  changePair(change: PairChange): Promise<ChangedPair>;
}
