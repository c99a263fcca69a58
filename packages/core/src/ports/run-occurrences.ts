import type { Event } from '../domain/event.js';
import type { OccurrenceEntry } from '../domain/occurrence-row.js';
import type { Port } from '../domain/port.js';
import type { StoredStatistics } from '../domain/run-statistics.js';

/** Position and length of a page of occurrences. */
export interface OccurrenceQuery {
  /** Only occurrences with a lower number. Absent: from the latest. */
  readonly before?: number;
  /** 1 to 200. */
  readonly limit: number;
}
/** One page of the occurrences of a run. */
export interface OccurrencePage {
  /** Latest first. */
  readonly occurrences: readonly OccurrenceEntry[];
  /** Numbers of all occurrences whose event is stored, latest first. */
  readonly events: readonly number[];
  /** The `before` of the next page; `null` if no older ones are stored. */
  readonly next: number | null;
}

/**
 * The occurrences of each run. `record` stores them with the run, in the same write: at least the latest 1,000, the statistics
 * of all, and the events that `isKeptEvent` names beside the one that the run shows. Unknown runs have none. Must read one
 * consistent state: a number names the same occurrence in every answer.
 */
export interface RunOccurrences {
  page(runId: string, query: OccurrenceQuery): Promise<OccurrencePage>;
  /** The event of one occurrence; `null` if it is not stored. */
  event(
    runId: string,
    number: number,
  ): Promise<{ readonly entry: OccurrenceEntry; readonly event: Event } | null>;
  statistics(runId: string): Promise<StoredStatistics>;
}
export const RunOccurrences = Symbol('RunOccurrences') as Port<RunOccurrences | null>;
