import type { HistoryEntry } from '../domain/history.js';

/** Reads what happened to a run. Law: append-only, oldest first, written only by the run store's own writes. */
export interface RunHistory {
  /** Empty for an unknown run. */
  history(runId: string): Promise<readonly HistoryEntry[]>;
}
