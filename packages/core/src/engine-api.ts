import type { Check, Connector } from './connector/connector.js';
import type { CodeMapping } from './domain/code-mapping.js';
import type { DeliveryBatch } from './domain/delivery.js';
import type { Draft } from './domain/draft.js';
import type { EvidenceBundle } from './domain/evidence.js';
import type { HistoryEntry, Reviewer } from './domain/history.js';
import type { JsonValue } from './domain/json.js';
import type { Run } from './domain/run.js';
import type { DraftDifference } from './pipeline/draft-difference.js';
import type { PlacedStack } from './pipeline/evidence/placed-frames.js';
import type { FailedNotification } from './pipeline/failed-notifications.js';
import type { Sanitiser, SanitiserOptions } from './pipeline/sanitise/index.js';
import type { PublicationProof } from './pipeline/verify-publication.js';
import type { Clock } from './ports/clock.js';
import type { IdGenerator } from './ports/id-generator.js';
import type { Logger } from './ports/logger.js';
import type { Recorded, RecordResult, RunPage, RunQuery } from './ports/run-store.js';
import type { StatusFeed } from './ports/status-feed.js';
import type { Tracker } from './ports/tracker.js';
import type { Values } from './ports/values.js';

/** How one project's crashes are triaged. */
export interface ProjectConfig {
  /** `owner/name` on the code host, or the path of a local git repository. Absent: no blame. */
  readonly repository?: string;
  /** Where issues go; absent: `repository`. */
  readonly publishRepository?: string;
  /** Tried before anything is guessed. */
  readonly mappings?: readonly CodeMapping[];
  /** Added to the fixed labels. */
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** True: one label `suspect:<short sha>` for each suspect shown as auto or likely. */
  readonly commitLabels?: boolean;
}

/** Everything `createEngine` needs; only `connectors` is required. */
export interface EngineOptions {
  readonly connectors: readonly Connector[];
  /** By name; `default` is used where only one is configured. */
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
  /** Key of the publication markers. Absent: made on the first start and kept in the storage. */
  readonly installKey?: string;
  readonly policy?: Partial<EnginePolicy>;
  /** What is taken out of crashes and of all that leaves, beside the rules of the house. */
  readonly scrub?: SanitiserOptions;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly logger?: Logger;
  readonly fetch?: typeof globalThis.fetch;
}

/** Time budgets, approval rules and retry schedules of one engine. Durations are in milliseconds. */
export interface EnginePolicy {
  /** How long a rejected fingerprint stays quiet. Default 7 days. */
  readonly quietAfterRejectMs: number;
  /** Budget of one analysis at Gate 1, all of it. Default 120,000. */
  readonly analysisMs: number;
  /** Budget of one explainer. Default 60,000. */
  readonly explainMs: number;
  /** How long a Gate 2 request waits before it answers `publishing`. Default 25,000. */
  readonly publishWaitMs: number;
  /** Pauses before each further look for an issue that may have been created. Default 5 s, 60 s, 10 min. */
  readonly publishPausesMs: readonly number[];
  /** True: Gate 2 approvals without a digest are refused with 428. Default false. */
  readonly requireBoundApproval: boolean;
  /** True: who opened Gate 1 in a cycle may not sign its draft at Gate 2. Default false. */
  readonly requireSecondPerson: boolean;
  /** Diffs read for one analysis; a code host may allow fewer. Default 50; docs/accuracy.md has the figures for both. */
  readonly diffBudget: number;
  /** Pauses after each failed attempt to tell a notifier; then it is listed as failed. Default 1 s up to 5 h, about 8 h in all. */
  readonly notifyPausesMs: readonly number[];
  /**
   * When a published run's crash comes again its issue is read, to see whether it is closed: at once, then after pauses that
   * double from 5 s up to this. Default 10 min.
   */
  readonly issueStateMs: number;
  /** Time limit of `check()`, all connectors together. Default 5,000. */
  readonly checkMs: number;
}

/** The result of a Gate 1 approval. */
export interface GateOneResult {
  readonly status: 'analyzed';
  readonly state: 'staged_draft';
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
/** The outcome of one ingested crash. */
export interface IngestResult extends Recorded {}

/** A crash that the embedding program hands over itself: any of the crash object's forms, not yet sanitised. */
export interface IngestInput {
  readonly crash: JsonValue;
  readonly project?: string;
}

/** The engine. Every method may be called at any time from anywhere; errors are `CulpritError`s. */
export interface Engine {
  /** Sanitises, normalises and records one crash. `malformed` with the field's path if it cannot be read. */
  ingest(input: IngestInput): Promise<IngestResult>;
  /** Records an edge's batch; one outcome for each delivery, in order. */
  ingestBatch(batch: DeliveryBatch): Promise<RecordResult>;

  runs(query: RunQuery): Promise<RunPage>;
  /** Rejects with `run_not_found`. */
  run(runId: string): Promise<Run>;
  history(runId: string): Promise<readonly HistoryEntry[]>;
  /** The evidence of the latest analysis; `not_found` before Gate 1. */
  evidence(runId: string): Promise<EvidenceBundle>;
  /** Where the latest analysis found the frames in the repository, with lines around them; `not_found` before Gate 1. */
  stack(runId: string): Promise<PlacedStack>;
  /** The rules of this engine. */
  readonly policy: EnginePolicy;

  approveGateOne(runId: string, reviewer: Reviewer): Promise<GateOneResult>;
  rejectGateOne(runId: string, reviewer: Reviewer, reason: string): Promise<RejectResult>;
  /** `ifMatch` is the digest of the draft that was edited. */
  editDraft(runId: string, edit: DraftEdit, reviewer: Reviewer, ifMatch: string): Promise<Draft>;
  /** `digest` binds the approval to what was shown; absent: recorded as unbound. */
  approveGateTwo(runId: string, reviewer: Reviewer, digest?: string): Promise<GateTwoResult>;
  rejectGateTwo(
    runId: string,
    reviewer: Reviewer,
    reason: string,
    to: 'staged_raw' | 'rejected',
  ): Promise<RejectResult>;

  /** What would be published for a draft now: the body with its trailer. */
  preview(runId: string): Promise<{ readonly title: string; readonly body: string }>;
  /** What reviewers changed in the machine's draft; `not_found` before Gate 1. */
  draftDifference(runId: string): Promise<DraftDifference>;
  /** Derives a published issue again and compares it with what stands on the code host; `state_conflict` before Gate 2. */
  verify(runId: string): Promise<PublicationProof>;

  /** Notifications that were given up, newest first, at most 200. A later success takes one off the list. */
  failedNotifications(): Promise<readonly FailedNotification[]>;
  /** Tries again to tell a connector of a run's latest state; `not_found` where it tells nobody. */
  retryNotification(connector: string, runId: string): Promise<void>;

  readonly feed: StatusFeed;
  readonly values: Values;
  /** True: other processes use the same storage. */
  readonly shared: boolean;
  /** Trackers by connector id, for hosts that receive deliveries themselves. */
  readonly trackers: ReadonlyMap<string, Tracker>;
  /** Made with the engine's `scrub`, for the same hosts. */
  readonly sanitiser: Sanitiser;
  /** What every connector reports of itself. */
  check(): Promise<readonly Check[]>;
  /** Stops taking work, waits for what is under way, closes connectors in reverse. */
  close(): Promise<void>;
}

/** A reviewer's replacement for the editable parts of a draft. */
export interface DraftEdit {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}
