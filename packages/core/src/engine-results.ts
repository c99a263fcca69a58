import * as v from 'valibot';
import { draftSchema } from './domain/draft.js';
import type { QuotaExcess } from './domain/quota.js';
import { linkedIssueSchema } from './domain/resolution.js';
import { runSchema } from './domain/run.js';
import { about, type Doc } from './domain/schema.js';
import type { CrashObject } from './pipeline/crash-object/crash-shape.js';

export const gateOneResultSchema = v.object({
  status: v.literal('analyzed'),
  state: about(
    v.picklist(['staged_draft', 'publishing', 'published']),
    'Of the run. A repeated approval may find it signed or published.',
  ),
});
/** The result of a Gate 1 approval. */
export interface GateOneResult extends Doc<typeof gateOneResultSchema> {}

export const gateTwoPublishedSchema = v.object({ status: v.literal('published'), issue_url: v.string() });
export const gateTwoPublishingSchema = v.object({
  status: v.literal('publishing'),
  state: v.literal('publishing'),
});
/** The result of a Gate 2 approval; `publishing` if the issue is not confirmed yet. */
export type GateTwoResult = Doc<typeof gateTwoPublishedSchema> | Doc<typeof gateTwoPublishingSchema>;

export const rejectResultSchema = v.object({
  status: v.picklist(['rejected', 'returned']),
  state: v.picklist(['rejected', 'staged_raw']),
});
/** The result of a rejection: the run is closed, or returned to Gate 1. */
export interface RejectResult extends Doc<typeof rejectResultSchema> {}

export const mergeResultSchema = v.object({
  run: runSchema,
  /** `null` after a split: retention has deleted it. */
  into: v.nullable(runSchema),
});
/** Both runs after a merge or a split. */
export interface MergeResult extends Doc<typeof mergeResultSchema> {}

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

export const issuePreviewSchema = v.object({
  title: v.string(),
  /** Including the trailer. */
  body: v.string(),
  reopens: draftSchema.entries.reopens,
  link_back: v.optional(
    about(linkedIssueSchema, 'The earlier issue, which then gets a comment with the link of this one.'),
  ),
  divergence: about(v.array(v.string()), 'What the code host would change or drop.'),
});
/** The issue as it would be published. */
export interface IssuePreview extends Doc<typeof issuePreviewSchema> {}
