import type { Recorded } from '../domain/delivery.js';
import type { Event } from '../domain/event.js';
import type { Fingerprint } from '../domain/fingerprint.js';
import type { Family } from '../domain/group.js';
import type { NewHistoryEntry } from '../domain/history.js';
import type { Outcome } from '../domain/outcome.js';
import type { Port } from '../domain/port.js';
import type { QuotaExcess, Quotas } from '../domain/quota.js';
import type {
  Lease,
  PublishIntent,
  Run,
  RunPage,
  RunRecord,
  RunState,
  runGroups,
  SET_ELSEWHERE,
} from '../domain/run.js';
import type { RunOrder } from '../domain/search/run-order.js';
import type { RunIncidents } from './run-incidents.js';
import type { RunPairs } from './run-pairs.js';

/** Why an item was not counted. */
export interface Refusal {
  readonly outcome: Outcome;
  readonly detail: string;
  /** Set for `over_quota`. */
  readonly quota?: QuotaExcess;
}

/** One event to count on a run, or a delivery that core rejected (`occurrence` is `null`). */
export interface BatchItem {
  /** The edge's sequence number; the watermark moves to the highest of the batch. */
  readonly sequence: number;
  readonly event_id: string;
  readonly occurrence: Occurrence | null;
  /** Set if `occurrence` is `null`: the outcome to return, now and for every repetition. */
  readonly refusal: Refusal | null;
}

/** An event with everything a store needs to count it on a run. */
export interface Occurrence {
  readonly event: Event;
  readonly fingerprint: Fingerprint;
  /** The event's hashes by older fingerprint versions. */
  readonly aliases: readonly string[];
  /** The event's family of incidents, and what distinguishes it there. Absent: its hash alone counts. */
  readonly family?: Family | undefined;
  readonly title: string;
  /** Names the sender's credential; `null` if it is unknown. */
  readonly key: string | null;
  /** The id of a new run, if one is started. */
  readonly candidate_run_id: string;
  /** Id of a published run: this event's revision does not contain the fix of its issue, so it is no regression. Absent: none. */
  readonly before_fix_of?: string | null;
}

/** Items of one edge to record in one atomic write. */
export interface RecordBatch {
  /** Who numbers the items: an edge's id, or `embedded` for `engine.ingest` (then sequences may be 0: no watermark). */
  readonly edge: string;
  readonly items: readonly BatchItem[];
  /** The last watermark that the edge received. If the store's is lower, the store lost data, and nothing is recorded. */
  readonly after?: number;
  /** ISO 8601. */
  readonly now: string;
  readonly policy: RecordPolicy;
}
/** The rules that decide whether an occurrence starts a new run. */
export interface RecordPolicy {
  /** How long a rejected fingerprint stays quiet, in ms. */
  readonly quietAfterRejectMs: number;
  /** Ids of published runs whose issue is closed: a crash starts a new run. Absent: none. */
  readonly closedIssues?: readonly string[];
  /**
   * Ids of published runs whose issue is closed as not planned or as a duplicate: the first trusted crash starts a new run.
   * Absent: none.
   */
  readonly dismissedIssues?: readonly string[];
  /** Limits what each key, door and project may store. Absent: no limits. */
  readonly quotas?: Quotas;
}

/** One outcome per item, in order, and the edge's new watermark. */
export interface RecordResult {
  readonly outcomes: readonly Recorded[];
  /** The highest sequence number of this edge that is stored durably. */
  readonly watermark: number;
  /**
   * Ids of runs that were created, have a new source, woke from a snooze or came back as a regression: their notifications
   * change. Absent: only created ones are known.
   */
  readonly changed?: readonly string[];
}

type Groups = typeof runGroups;
/** The members a change may set. Counters, event, title and fingerprint are set by `record`; merging and regressions by the store. */
export type RunPatch = Partial<
  Pick<
    Run,
    | 'state'
    | 'cycle'
    | Exclude<
        keyof (Groups['analysis'] & Groups['publication'] & Groups['triage'] & Groups['details']),
        (typeof SET_ELSEWHERE)[number]
      >
  >
>;
/** A compare-and-set change of one run, with its history entries. */
export interface RunChange {
  readonly run_id: string;
  /** The version the change was made from. Rejects with `version_conflict` if the store has another one. */
  readonly version: number;
  readonly patch: RunPatch;
  /** Absent: unchanged. */
  readonly intent?: PublishIntent | null;
  readonly lease?: Lease | null;
  /** ISO 8601; becomes `updated_at`. The run's own `updated_at` leaves its place in the lists. */
  readonly now: string;
  readonly history: readonly NewHistoryEntry[];
}

/** Filters and position of one page of runs. All filters must match. */
export interface RunQuery {
  readonly states?: readonly RunState[];
  readonly project?: string;
  /** Only these projects. Empty: no run. Absent: all. */
  readonly projects?: readonly string[];
  /** A search, such as `level:fatal env:prod "exact words"`: see `parseSearch`. */
  readonly query?: string;
  /** Default: `activity`. */
  readonly order?: RunOrder;
  /**
   * A fingerprint hash; requires `project`. Returns only the run that counts its next crash, unless a later one starts; ignores
   * `query` and `order`.
   */
  readonly fingerprint?: string;
  /** From an earlier page's `next`; another query's cursor rejects with `invalid_cursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}
/**
 * Stores runs.
 * - `record` is one atomic write: runs created or counted (with the domain's `countOccurrence`), shown events stored,
 *   watermark moved, history and feed entries appended. It resolves once that is durable.
 * - Items at or below the edge's watermark change nothing and return their previous outcome.
 *   A batch with `after` above the watermark is not recorded: no outcomes, and the watermark from which to resend.
 *   A known (project, event_id) returns `duplicate` and changes nothing; but an id of an untrusted event
 *   does not make a trusted event a duplicate, or anyone could suppress trusted events.
 * - An occurrence that would start a run beyond a quota of the policy returns `over_quota` and changes nothing but the
 *   count of refusals; occurrences of existing runs are always counted. Counts are exact for every number of processes.
 * - `change` is compare-and-set on `version` (which counting does not raise), durable when it resolves, atomic with its
 *   history and feed entries. It sets the patch's members and leaves counters untouched. An unknown run
 *   rejects with `run_not_found`. After `version_conflict`, a read returns the winning change.
 * - `page` rejects with `malformed` for a search that `parseSearch` refuses, and reads a bounded number of runs. What a search
 *   means is `matchesSearch`; a run is found from the moment its write resolves.
 * - An occurrence with a `family` is counted under the fingerprint of its group: `record` applies the domain's `joinFamily` to the
 *   groups stored for (project, family name), in the same write. What it changes is not stored for a refused occurrence.
 * - An occurrence whose fingerprint has no run is counted on the latest run of an alias if that run `continues` it.
 * - A crash whose fingerprint's latest run is `merged` is counted on the latest run of the fingerprint of `merged_into`, and so on.
 *   A run that starts as a regression is named by the published one, in the same write (`cameBack`).
 *   A run that starts there becomes the latest of that fingerprint; one that is `parted`, of the crash's own.
 * - Never read-then-write without that protection: callers run concurrently.
 * - An outage rejects with `storage_unavailable` (retryable).
 */
export interface RunStore extends RunPairs, RunIncidents {
  /** True if several processes may use it at once. */
  readonly shared?: boolean;
  record(batch: RecordBatch): Promise<RecordResult>;
  get(runId: string): Promise<RunRecord | null>;
  change(change: RunChange): Promise<RunRecord>;
  page(query: RunQuery): Promise<RunPage>;
}
export const RunStore = Symbol('RunStore') as Port<RunStore>;
