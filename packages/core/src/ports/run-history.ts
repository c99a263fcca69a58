import type { HistoryEntry } from '../domain/history.js';
import type { Port } from '../domain/port.js';

/** Reads a run's history, oldest first. Must be append-only and written only by the run store. */
export interface RunHistory {
  /** Empty for an unknown run. */
  history(runId: string): Promise<readonly HistoryEntry[]>;
}
export const RunHistory = Symbol('RunHistory') as Port<RunHistory>;
