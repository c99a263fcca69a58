import type { Event } from '../domain/event.js';
import type { Fingerprint } from '../domain/fingerprint.js';
import type { NewHistoryEntry } from '../domain/history.js';
import type { Outcome } from '../domain/outcome.js';
import type { Lease, PublishIntent, Run, RunRecord, RunState, RunSummary } from '../domain/run.js';

/** One event that is to be counted on a run, or a delivery that core refused (`occurrence` null). */
export interface BatchItem {
  /** The edge's sequence number; the watermark moves to the highest of the batch. */
  readonly sequence: number;
  readonly event_id: string;
  readonly occurrence: Occurrence | null;
  /** Given when `occurrence` is null: what to answer for it, now and on every repetition. */
  readonly refusal: { readonly outcome: Outcome; readonly detail: string } | null;
}

/** An event with everything a store needs to count it on a run. */
export interface Occurrence {
  readonly event: Event;
  readonly fingerprint: Fingerprint;
  /** Hashes of older fingerprint versions that mean the same incident. */
  readonly aliases: readonly string[];
  readonly title: string;
  /** The id that a new run takes if one is started. */
  readonly candidate_run_id: string;
}

/** Items of one edge to record in one atomic write. */
export interface RecordBatch {
  /** Who numbers the items: an edge's id, or `embedded` for `engine.ingest` (then sequences may be 0: no watermark). */
  readonly edge: string;
  readonly items: readonly BatchItem[];
  /** The watermark that the edge was told last. If the store knows less, it has lost something: nothing is recorded. */
  readonly after?: number;
  /** ISO 8601. */
  readonly now: string;
  readonly policy: RecordPolicy;
}
/** The rules that decide whether an occurrence starts a new run. */
export interface RecordPolicy {
  /** How long a rejected fingerprint stays quiet, in ms. */
  readonly quietAfterRejectMs: number;
  /** Ids of published runs whose issue is known to be closed: their crash starts a new run. Absent: none. */
  readonly closedIssues?: readonly string[];
}

/** The outcome of one recorded item. */
export interface Recorded {
  readonly sequence: number;
  readonly event_id: string;
  readonly outcome: Outcome;
  readonly run_id: string | null;
  readonly detail: string | null;
}
/** One outcome per item, in order, and the edge's new watermark. */
export interface RecordResult {
  readonly outcomes: readonly Recorded[];
  /** The highest sequence of this edge that is safely kept. */
  readonly watermark: number;
}

/** What a change may set. Counters, event, title and fingerprint belong to `record`. */
export type RunPatch = Partial<
  Pick<
    Run,
    | 'state'
    | 'cycle'
    | 'revision'
    | 'suspects'
    | 'no_suspect'
    | 'explanation'
    | 'draft'
    | 'publication'
    | 'last_error'
  >
>;
/** A compare-and-set change of one run, with its history entries. */
export interface RunChange {
  readonly run_id: string;
  /** The version the change was made from. Another one in the store: rejects with `version_conflict`. */
  readonly version: number;
  readonly patch: RunPatch;
  /** Absent: as it was. */
  readonly intent?: PublishIntent | null;
  readonly lease?: Lease | null;
  /** ISO 8601; becomes `updated_at`. */
  readonly now: string;
  readonly history: readonly NewHistoryEntry[];
}

/** Filters and position of one page of runs. All filters must match. */
export interface RunQuery {
  readonly states?: readonly RunState[];
  readonly project?: string;
  /** Words that must all stand in the title, fingerprint hash or run id; case does not matter. */
  readonly query?: string;
  /** A fingerprint hash of `project`, which must be given: only the latest run that is known by it. */
  readonly fingerprint?: string;
  /** From an earlier page's `next`; another query's cursor rejects with `invalid_cursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}
/** One page of run summaries. */
export interface RunPage {
  /** Latest activity first; ties by run id. */
  readonly runs: readonly RunSummary[];
  readonly next: string | null;
}

/**
 * Keeps runs. Law:
 * - `record` is one atomic write: runs created or counted (by `countOccurrence` of the domain), events kept,
 *   watermark moved, history and feed entries appended. It resolves only when that is durable.
 * - Items at or below the edge's watermark change nothing and are answered as before.
 *   A batch whose `after` is above the watermark is not recorded: no outcomes, and the watermark from which to send again.
 *   A known (project, event_id) is answered `duplicate` and changes nothing.
 * - `change` is compare-and-set on `version` (which counting does not raise), durable when it resolves, atomic with its
 *   history and feed entries; it sets what the patch names and leaves counters that moved meanwhile. Unknown run:
 *   rejects with `run_not_found`. Whoever gets `version_conflict` reads at once what won.
 * - Never read-then-write without that protection: any number of callers may run at once.
 * - An outage rejects with `storage_unavailable` (retryable).
 */
export interface RunStore {
  /** True: several processes may use it at once. Absent or false: this process alone owns it. */
  readonly shared?: boolean;
  record(batch: RecordBatch): Promise<RecordResult>;
  get(runId: string): Promise<RunRecord | null>;
  change(change: RunChange): Promise<RunRecord>;
  page(query: RunQuery): Promise<RunPage>;
}
