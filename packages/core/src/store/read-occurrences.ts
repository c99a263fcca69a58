import type { Event } from '../domain/event.js';
import { entryOf, type OccurrenceEntry, type OccurrenceRow, rowOf } from '../domain/occurrence-row.js';
import { countRows, NO_STATISTICS } from '../domain/run-statistics.js';
import type { OccurrencePage, RunOccurrences } from '../ports/run-occurrences.js';
import type { KeyValue } from './key-value.js';
import { isRunId, keys } from './keys.js';
import { CHUNK, CHUNKS, EMPTY_LOG, logKeys, pendingRows } from './occurrence-log.js';
import { decode, loggedOf, type OccurrenceLog, type RunHead } from './run-parts.js';

type Reads = Pick<KeyValue, 'getMany'>;

/** The occurrences of runs, from their logs. */
export function readOccurrences(reads: Reads): RunOccurrences {
  return {
    page: (runId, query) => atOnce(reads, runId, NO_PAGE, (head) => pageOf(reads, head, query)),
    event: (runId, number) =>
      atOnce(reads, runId, null, async (head) => {
        if (!eventsOf(head.log ?? EMPTY_LOG).includes(number)) return null;
        const key = number === head.log?.shown ? keys.event(runId) : logKeys.event(runId, number);
        const [text] = await reads.getMany([key]);
        if (text === undefined) return null;
        const event = decode<Event>(text, 'event');
        return { entry: entryOf(rowOf(event, event.received_at), number, true), event };
      }),
    statistics: (runId) =>
      atOnce(reads, runId, NO_STATISTICS, async ({ log = EMPTY_LOG }) => {
        const { statistics, rows } = await pendingRows(reads, runId, log);
        return countRows(statistics, rows);
      }),
  };
}

const TRIES = 5;

/** Reads again if a chunk was completed or the shown event replaced meanwhile, because their keys are used again. */
async function atOnce<Result>(
  reads: Reads,
  runId: string,
  none: Result,
  read: (head: RunHead) => Promise<Result>,
): Promise<Result> {
  for (let tried = 1; ; tried++) {
    const head = await headOf(reads, runId);
    if (head === null) return none;
    const result = await read(head);
    if (tried === TRIES || isSame(head, await headOf(reads, runId))) return result;
  }
}

function isSame({ log = EMPTY_LOG }: RunHead, later: RunHead | null): boolean {
  const { rows, shown } = later?.log ?? EMPTY_LOG;
  return shown === log.shown && Math.floor(rows / CHUNK) === Math.floor(log.rows / CHUNK);
}

const NO_PAGE: OccurrencePage = { occurrences: [], events: [], next: null };

async function headOf(reads: Reads, runId: string): Promise<RunHead | null> {
  if (!isRunId(runId)) return null;
  const [text] = await reads.getMany([keys.head(runId)]);
  const head = text === undefined ? null : decode<RunHead>(text, 'run');
  return head?.tombstone ? null : head;
}

/** Numbers of the occurrences whose event is stored, latest first. */
function eventsOf({ shown, kept }: OccurrenceLog): readonly number[] {
  const numbers = new Set([...(shown === null ? [] : [shown]), ...kept.map(([number]) => number)]);
  return [...numbers].sort((a, b) => b - a);
}

/** Reads only the chunks that the page needs. */
async function pageOf(
  reads: Reads,
  head: RunHead,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<OccurrencePage> {
  const { run, log = EMPTY_LOG } = head;
  const runId = run.run_id;
  /** Occurrences that an older version counted. */
  const offset = loggedOf(head) - log.rows;
  const pending = log.rows % CHUNK;
  const full = (log.rows - pending) / CHUNK;
  const oldest = Math.max(0, full - CHUNKS) * CHUNK;
  const end = Math.min(log.rows, (before ?? Number.MAX_SAFE_INTEGER) - 1 - offset);
  const start = Math.max(oldest, end - limit);
  const events = eventsOf(log);
  if (end <= start) return { ...NO_PAGE, events };
  const wanted = range(Math.floor(start / CHUNK), Math.min(full, Math.ceil(end / CHUNK)));
  const texts = wanted.length > 0 ? await reads.getMany(wanted.map((at) => logKeys.chunk(runId, at))) : [];
  const rows = new Map<number, OccurrenceRow>();
  const put = (first: number, some: readonly OccurrenceRow[]) => {
    for (const [at, row] of some.entries()) rows.set(first + at, row);
  };
  for (const [at, chunk] of wanted.entries())
    put(chunk * CHUNK, decode<readonly OccurrenceRow[]>(texts[at] ?? '[]', 'occurrence'));
  if (end > full * CHUNK) put(full * CHUNK, (await pendingRows(reads, runId, log)).rows);
  const occurrences: OccurrenceEntry[] = [];
  for (let at = end - 1; at >= start; at--) {
    const row = rows.get(at);
    const number = offset + at + 1;
    if (row !== undefined) occurrences.push(entryOf(row, number, events.includes(number)));
  }
  return { occurrences, events, next: start > oldest ? offset + start + 1 : null };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}
