import { type KeptEvent, keepEvent } from '../domain/kept-events.js';
import { type OccurrenceRow, slimRow } from '../domain/occurrence-row.js';
import { countRows, NO_STATISTICS, type StoredStatistics } from '../domain/run-statistics.js';
import { countUsers, hasOtherUsers, type UserCount, usersOfStatistics } from '../domain/user-count.js';
import { keys } from './keys.js';
import { decode, encode, type OccurrenceLog, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/**
 * The occurrences of a run, below `o/<run>/`:
 *
 *     r<i>    rows of write i since the last full chunk
 *     c<i>    a full chunk of rows; the latest replaces the oldest
 *     s       statistics of the rows in all chunks, past ones too
 *     e<n>    event of occurrence n, beside the one that the run shows
 *
 * A write thus costs one small record. Statistics and chunks are written only once for each chunk.
 */
export const CHUNK = 32;
export const CHUNKS = 32;

export const EMPTY_LOG: OccurrenceLog = { rows: 0, writes: 0, shown: null, kept: [] };

export const logKeys = {
  rows: (runId: string, write: number) => keys.occurrences(runId, `r${write}`),
  chunk: (runId: string, chunk: number) => keys.occurrences(runId, `c${chunk % CHUNKS}`),
  statistics: (runId: string) => keys.occurrences(runId, 's'),
  event: (runId: string, number: number) => keys.occurrences(runId, `e${number}`),
} as const;

/** Stores the rows of one write. Returns the log after it. */
export async function appendRows(
  tx: Pick<Transaction, 'getMany' | 'put'>,
  runId: string,
  log: OccurrenceLog,
  rows: readonly OccurrenceRow[],
): Promise<OccurrenceLog> {
  const pending = log.rows % CHUNK;
  const after = log.rows + rows.length;
  if (pending + rows.length < CHUNK) {
    tx.put(logKeys.rows(runId, log.writes), encode(rows));
    return { ...log, rows: after, writes: log.writes + 1 };
  }
  const { statistics, rows: earlier } = await pendingRows(tx, runId, log);
  const all = [...earlier, ...rows];
  const full = all.length - (all.length % CHUNK);
  const first = (log.rows - pending) / CHUNK;
  const chunks = full / CHUNK;
  for (let at = Math.max(0, chunks - CHUNKS); at < chunks; at++) {
    const chunk = all.slice(at * CHUNK, (at + 1) * CHUNK).map(slimRow);
    tx.put(logKeys.chunk(runId, first + at), encode(chunk));
  }
  tx.put(logKeys.statistics(runId), encode(countRows(statistics, all.slice(0, full))));
  const rest = all.slice(full);
  if (rest.length > 0) tx.put(logKeys.rows(runId, 0), encode(rest));
  return { ...log, rows: after, writes: rest.length > 0 ? 1 : 0 };
}

/** The statistics of the full chunks, and the rows since. */
export async function pendingRows(
  reads: Pick<Transaction, 'getMany'>,
  runId: string,
  { rows: total, writes }: OccurrenceLog,
): Promise<{ readonly statistics: StoredStatistics; readonly rows: readonly OccurrenceRow[] }> {
  const [stored, ...texts] = await reads.getMany([
    logKeys.statistics(runId),
    ...Array.from({ length: writes }, (_, at) => logKeys.rows(runId, at)),
  ]);
  const statistics = readStored(stored, total);
  const rows = texts.flatMap((text) =>
    text === undefined ? [] : decode<readonly OccurrenceRow[]>(text, 'occurrence'),
  );
  return { statistics, rows };
}

/** The statistics of the full chunks. */
async function statisticsOf(
  reads: Pick<Transaction, 'getMany'>,
  runId: string,
  { rows }: OccurrenceLog,
): Promise<StoredStatistics> {
  const [stored] = await reads.getMany([logKeys.statistics(runId)]);
  return readStored(stored, rows);
}

function readStored(stored: string | undefined, rows: number): StoredStatistics {
  const known =
    stored === undefined ? NO_STATISTICS : decode<StoredStatistics>(stored, 'statistics of a run');
  // An older version that wrote the head in between has ended the log that they belong to.
  return known.occurrences === rows - (rows % CHUNK) ? known : NO_STATISTICS;
}

/** An event to keep beside the one that the run shows. */
export interface EventToKeep {
  readonly number: number;
  readonly text: string;
}

/** The log with these events; beyond the bounds, others are dropped. */
export function withEvents(
  log: OccurrenceLog,
  events: readonly EventToKeep[],
): { readonly log: OccurrenceLog; readonly dropped: readonly KeptEvent[] } {
  let { kept } = log;
  const dropped: KeptEvent[] = [];
  for (const { number, text } of events) {
    const next = keepEvent(kept, [number, Buffer.byteLength(text)]);
    kept = next.kept;
    dropped.push(...next.dropped);
  }
  return { log: { ...log, kept }, dropped };
}

/** Every key that the log of a run may have. */
export function allLogKeys(runId: string, { rows, kept }: OccurrenceLog): readonly string[] {
  const range = (length: number) => Array.from({ length }, (_, at) => at);
  const chunks = Math.floor(rows / CHUNK);
  return [
    ...(chunks > 0 ? [logKeys.statistics(runId)] : []),
    ...range(Math.min(rows, CHUNK)).map((write) => logKeys.rows(runId, write)),
    ...range(Math.min(chunks, CHUNKS)).map((chunk) => logKeys.chunk(runId, chunk)),
    ...kept.map(([number]) => logKeys.event(runId, number)),
  ];
}

/** Writes the events of a log that {@link withEvents} returned. */
export function putEvents(
  tx: Pick<Transaction, 'put' | 'del'>,
  runId: string,
  events: readonly EventToKeep[],
  dropped: readonly KeptEvent[],
): void {
  for (const { number, text } of events) tx.put(logKeys.event(runId, number), text);
  for (const [number] of dropped) tx.del(logKeys.event(runId, number));
}

type Reads = Pick<Transaction, 'getMany'>;

/** `head` is `before` with these rows in its log. Returns it with their users. Reads the statistics only for users that may be new. */
export async function withUsersOf(
  reads: Reads,
  before: RunHead,
  head: RunHead,
  rows: readonly OccurrenceRow[],
): Promise<RunHead> {
  const known = usersOfHead(before);
  if (known === null || chunksOf(before) !== chunksOf(head)) return withUsers(reads, head);
  const needed = (before.log?.rows ?? 0) >= CHUNK && hasOtherUsers(known, rows);
  const stored = needed
    ? await statisticsOf(reads, before.run.run_id, before.log ?? EMPTY_LOG)
    : NO_STATISTICS;
  return withCount(head, countUsers(known, rows, stored));
}

/** The head with its users counted from the statistics and the rows since. */
export async function withUsers(reads: Reads, head: RunHead): Promise<RunHead> {
  const { run, log = EMPTY_LOG } = head;
  const { statistics, rows } = log.rows === 0 ? NOTHING : await pendingRows(reads, run.run_id, log);
  return withCount(head, countUsers(usersOfStatistics(statistics), rows, statistics));
}

const NOTHING: { readonly statistics: StoredStatistics; readonly rows: readonly OccurrenceRow[] } = {
  statistics: NO_STATISTICS,
  rows: [],
};

function chunksOf({ log }: RunHead): number {
  return Math.floor((log?.rows ?? 0) / CHUNK);
}

/** False if an older version has written the run. */
export function hasCountedUsers(head: RunHead): boolean {
  return head.run.users !== undefined && usersOfHead(head) !== null;
}

/** `null`: unknown, because an older version wrote the head. */
function usersOfHead({ run, log = EMPTY_LOG }: RunHead): UserCount | null {
  if (log.rows === 0) return usersOfStatistics(NO_STATISTICS);
  if (run.users === undefined || log.users?.rows !== log.rows) return null;
  return { users: run.users, ...log.users };
}

function withCount(head: RunHead, { users, trusted, fresh }: UserCount): RunHead {
  const { run, log = EMPTY_LOG } = head;
  return { ...head, run: { ...run, users }, log: { ...log, users: { rows: log.rows, trusted, fresh } } };
}
