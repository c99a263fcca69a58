import type { ReopenTarget } from './domain/draft.js';
import type { QuotaExcess } from './domain/quota.js';
import type { LinkedIssue } from './domain/resolution.js';
import type { Run } from './domain/run.js';
import type { CrashObject } from './pipeline/crash-object/crash-shape.js';

/** The result of a Gate 1 approval. `state` is the run's own: after the first approval of a cycle it may have moved on. */
export interface GateOneResult {
  readonly status: 'analyzed';
  readonly state: 'staged_draft' | 'publishing' | 'published';
}
/** The result of a Gate 2 approval; `publishing` if the issue is not confirmed yet. */
export type GateTwoResult =
  | { readonly status: 'published'; readonly issue_url: string }
  | { readonly status: 'publishing'; readonly state: 'publishing' };
/** The result of a rejection: the run is closed, or returned to Gate 1. */
export interface RejectResult {
  readonly status: 'rejected' | 'returned';
  readonly state: 'rejected' | 'staged_raw';
}
/** Both runs after a merge or a split. */
export interface MergeResult {
  readonly run: Run;
  /** `null` after a split: retention has deleted it. */
  readonly into: Run | null;
}
/** The outcome of one ingested crash. Only `accepted` always has a run. */
export type IngestResult =
  | { readonly outcome: 'accepted'; readonly event_id: string; readonly run_id: string }
  /** Its `event_id` is known, so nothing was counted. `run_id` is `null` if that run has been deleted. */
  | { readonly outcome: 'duplicate'; readonly event_id: string; readonly run_id: string | null }
  /** It would have started a run beyond a quota, so it was not stored. `detail` says which quota. */
  | {
      readonly outcome: 'over_quota';
      readonly event_id: string;
      readonly run_id: null;
      readonly detail: string;
      readonly quota: QuotaExcess;
    };

/** A crash from the embedding program, not yet sanitised. */
export interface IngestInput {
  readonly crash: CrashObject;
  /** Default: `default`. */
  readonly project?: string;
}

/** The issue as it would be published. */
export interface IssuePreview {
  readonly title: string;
  /** Including the trailer. */
  readonly body: string;
  /** The issue that gets the body as a comment, and is then opened unless `only_comment` is set. Its title stays. Absent: a new issue. */
  readonly reopens?: ReopenTarget;
  /** The earlier issue that then gets a comment with the link of this one. Absent: none. */
  readonly link_back?: LinkedIssue;
  /** What the code host would change or drop, as text: it becomes the publication's `divergence`. */
  readonly divergence: readonly string[];
}
