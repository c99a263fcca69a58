import type { Door, Event } from '../domain/event.js';
import type { KeptEvent } from '../domain/kept-events.js';
import { keptCounts, NO_COUNTS, type QuotaCounts, type QuotaOwner } from '../domain/quota.js';
import { type RunDetail, type RunRecord, type RunSummary, summarise } from '../domain/run.js';
import { readSuspect } from '../domain/suspect.js';
import type { UserCount } from '../domain/user-count.js';
import { CulpritError } from '../errors/error.js';

/** Written with every count, so it must stay small. */
export interface RunHead {
  readonly run: RunSummary;
  readonly intent: RunRecord['intent'];
  readonly lease: RunRecord['lease'];
  /** Number of history entries. */
  readonly entries: number;
  /** Seal of the last history entry. */
  readonly chain?: string | undefined;
  /** What the run counts as in quotas. Absent: not counted yet, because an older version wrote the run. */
  readonly kept?: Kept | undefined;
  /** What is stored of the occurrences. Absent: nothing, because an older version counted them. */
  readonly log?: OccurrenceLog | undefined;
  /** The run's number in the index of searches. Absent: not indexed yet, because an older version wrote the run. */
  readonly number?: number | undefined;
  /** Retention has deleted the run. No list shows it; it is read only to count its crash. */
  readonly tombstone?: true;
}
/** Where the occurrences of a run are stored; see occurrence-log.ts. */
export interface OccurrenceLog {
  /** Occurrences since the log began. */
  readonly rows: number;
  /** Writes since the last full chunk. */
  readonly writes: number;
  /** The occurrence whose event the run shows; `null`: one before the log began. */
  readonly shown: number | null;
  /** Occurrences that are counted, but were lost from the log. Those that edges send again are not counted again. */
  readonly lost?: number | undefined;
  /** What merges have added to the run's occurrences, less what splits have taken away. Absent: nothing. */
  readonly joined?: number | undefined;
  /** Further stored events. */
  readonly kept: readonly KeptEvent[];
  /** What counting further users needs. Absent: unknown, because an older version wrote the run. */
  readonly users?: LoggedUsers | undefined;
}
/** The users of a run since its last full chunk; see `UserCount`. */
export interface LoggedUsers extends Pick<UserCount, 'trusted' | 'fresh'> {
  /** The rows that are counted. Others than the log has: an older version has added some. */
  readonly rows: number;
}
/** The sender that started a run, and the bytes of its events. */
export interface Kept {
  readonly door: Door;
  readonly key: string | null;
  readonly bytes: number;
}
export const NO_DETAIL: RunDetail = { suspects: [], explanation: null, draft: null };

export function joinParts(head: RunHead, detail: RunDetail, event: Event): RunRecord {
  const { run, intent, lease, entries, chain } = head;
  const sealed = chain === undefined ? {} : { sealed: { entries, mac: chain } };
  const suspects = detail.suspects.map(readSuspect);
  return { run: { ...run, ...detail, suspects, event }, intent, lease, ...sealed };
}

export function headOf(
  { run, intent, lease }: RunRecord,
  rest: Pick<RunHead, 'entries' | 'chain' | 'kept' | 'log'>,
): RunHead {
  const { entries, chain, kept, log } = rest;
  return { run: summarise(run), intent, lease, entries, chain, kept, log };
}

/** The number of occurrences that were counted on this run itself; the log numbers them. */
export function loggedOf({ run, log }: Pick<RunHead, 'run' | 'log'>): number {
  return run.occurrences - (log?.joined ?? 0);
}

/** Whose quotas the run counts against; that of a run from an older version by the door it came through first. */
export function ownerOf({ run: { project, doors }, kept }: Pick<RunHead, 'run' | 'kept'>): QuotaOwner {
  return { project, door: kept?.door ?? doors[0] ?? 'native', key: kept?.key ?? null };
}

/** What the run is counted as; nothing if it is deleted or not counted yet. */
export function countsOfHead(head: RunHead | null): QuotaCounts {
  if (head === null || head.tombstone || head.kept === undefined) return NO_COUNTS;
  return keptCounts(head.run.state, head.kept.bytes);
}

/** `eventText` is the run's event as it is stored; the log's further events count, too. */
export function keptOf({ door, key }: QuotaOwner, eventText: string, log?: OccurrenceLog): Kept {
  return { door, key, bytes: Buffer.byteLength(eventText) + keptBytes(log?.kept ?? []) };
}

function keptBytes(kept: readonly KeptEvent[]): number {
  return kept.reduce((sum, [, bytes]) => sum + bytes, 0);
}

const texts = new WeakMap<RunSummary, string>();

/** A run is part of its head and of the feed entry, so it is serialised once. */
export function encodeRun(run: RunSummary): string {
  const known = texts.get(run);
  if (known !== undefined) return known;
  const text = JSON.stringify(run);
  texts.set(run, text);
  return text;
}

export function encodeHead({ run, ...rest }: RunHead): string {
  return `{"run":${encodeRun(run)},${JSON.stringify(rest).slice(1)}`;
}

export function encode(value: unknown): string {
  return JSON.stringify(value);
}

/** Parses what this store wrote. Anything else means that the directory is damaged. */
export function decode<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (cause) {
    throw new CulpritError(
      'internal',
      `The storage contains a damaged ${what}. If it is in files, stop core and run: culprit store repair. Otherwise restore a backup.`,
      {
        cause,
      },
    );
  }
}
