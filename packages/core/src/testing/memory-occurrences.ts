import type { Event } from '../domain/event.js';
import { isKeptEvent, type KeptEvent, keepEvent } from '../domain/kept-events.js';
import { entryOf, type OccurrenceRow, rowOf } from '../domain/occurrence-row.js';
import { countRows, NO_STATISTICS, type StoredStatistics } from '../domain/run-statistics.js';
import type { RunOccurrences } from '../ports/run-occurrences.js';

/** The occurrences of one run. */
export interface MemoryLog {
  readonly rows: readonly OccurrenceRow[];
  readonly statistics: StoredStatistics;
  readonly shown: number | null;
  readonly kept: readonly KeptEvent[];
  readonly events: ReadonlyMap<number, Event>;
}

const EMPTY: MemoryLog = { rows: [], statistics: NO_STATISTICS, shown: null, kept: [], events: new Map() };

/** The event of one occurrence, to be counted after those of `before`. */
export interface LoggedEvent {
  readonly event: Event;
  readonly number: number;
  /** The run shows it from now on. */
  readonly shown: boolean;
  readonly releases: readonly string[];
  /** The event that the run has shown so far. */
  readonly earlier: Event | null;
  readonly now: string;
}

/** The log with one more occurrence. */
export function addToLog(
  before: MemoryLog = EMPTY,
  { event, number, shown, releases, earlier, now }: LoggedEvent,
): MemoryLog {
  const row = rowOf(event, now);
  const rows = [...before.rows, row];
  const statistics = countRows(before.statistics, [row]);
  if (!shown) return { ...before, rows, statistics };
  let { kept } = before;
  const events = new Map(before.events);
  const keep = (at: number, one: Event) => {
    const next = keepEvent(kept, [at, Buffer.byteLength(JSON.stringify(one))]);
    kept = next.kept;
    events.set(at, one);
    for (const [dropped] of next.dropped) events.delete(dropped);
  };
  if (number === 2 && before.shown === 1 && earlier !== null) keep(1, earlier);
  if (number > 1 && isKeptEvent(number, event, kept, releases)) keep(number, event);
  return { rows, statistics, shown: number, kept, events };
}

/** The port over the logs of all runs. `eventOf` gives the event that a run shows. */
export function memoryOccurrences(
  logs: ReadonlyMap<string, MemoryLog>,
  eventOf: (runId: string) => Event | null,
): RunOccurrences {
  const logOf = (runId: string) => logs.get(runId) ?? EMPTY;
  const isStored = ({ shown, events }: MemoryLog, number: number) => number === shown || events.has(number);
  return {
    async page(runId, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const log = logOf(runId);
      const all = log.rows.map((row, at) => entryOf(row, at + 1, isStored(log, at + 1))).reverse();
      const later = all.filter(({ number }) => number < before);
      const occurrences = later.slice(0, limit);
      const last = occurrences.at(-1);
      const events = all.filter(({ stored }) => stored).map(({ number }) => number);
      return { occurrences, events, next: later.length > limit && last !== undefined ? last.number : null };
    },
    async event(runId, number) {
      const log = logOf(runId);
      const row = log.rows[number - 1];
      const event = log.events.get(number) ?? (number === log.shown ? eventOf(runId) : null);
      return row === undefined || event === null ? null : { entry: entryOf(row, number, true), event };
    },
    statistics: async (runId) => logOf(runId).statistics,
  };
}
