import type { Check, Connector } from './connector/connector.js';
import type { DeliveryBatch } from './domain/delivery.js';
import type { Draft, DraftEdit } from './domain/draft.js';
import type { Event } from './domain/event.js';
import type { EvidenceBundle } from './domain/evidence.js';
import type { HandOffTarget } from './domain/hand-off.js';
import type { HistoryEntry, Reviewer } from './domain/history.js';
import type { OccurrenceEntry } from './domain/occurrence-row.js';
import type { ProjectConfig } from './domain/project-config.js';
import type { Quotas, QuotaUsage } from './domain/quota.js';
import type { FixedIn, Following, IssueEffect } from './domain/resolution.js';
import type { Run } from './domain/run.js';
import type { RunStatistics } from './domain/run-statistics.js';
import type { SnoozeUntil } from './domain/snooze.js';
import type { RunStory } from './domain/story.js';
import type { EngineReleases } from './engine-releases.js';
import type {
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  IssuePreview,
  MergeResult,
  RejectResult,
} from './engine-results.js';
import type { DraftDifference } from './pipeline/draft-difference.js';
import type { PlacedStack } from './pipeline/evidence/placed-frames.js';
import type { FailedNotification } from './pipeline/failed-notifications.js';
import type { HistoryChain } from './pipeline/read-chain.js';
import type { Sanitiser, SanitiserOptions } from './pipeline/sanitise/index.js';
import type { PublicationProof } from './pipeline/verify-publication.js';
import type { CacheStore } from './ports/cache.js';
import type { Clock } from './ports/clock.js';
import type { ModelStatus } from './ports/explainer.js';
import type { IdGenerator } from './ports/id-generator.js';
import type { Logger } from './ports/logger.js';
import type { PersonErasure } from './ports/person-erasure.js';
import type { OccurrencePage, OccurrenceQuery } from './ports/run-occurrences.js';
import type { RecordResult, RunPage, RunQuery } from './ports/run-store.js';
import type { ValueCount, ValuesQuery } from './ports/run-values.js';
import type { SourceMaps } from './ports/source-maps.js';
import type { StatusFeed } from './ports/status-feed.js';
import type { Tracker } from './ports/tracker.js';
import type { Values } from './ports/values.js';
import type { ProgressFeed } from './runs/progress.js';

export type {
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  IssuePreview,
  MergeResult,
  RejectResult,
} from './engine-results.js';

/** Everything `createEngine` needs; only `connectors` is required. */
export interface EngineOptions {
  readonly connectors: readonly Connector[];
  /** By name; `default` if only one is configured. */
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
  /** Key of the publication markers. Default: generated at the first start and stored. */
  readonly installKey?: string;
  readonly policy?: Partial<EnginePolicy>;
  /** Sanitising rules in addition to the built-in ones, for crashes and for everything sent out. */
  readonly scrub?: SanitiserOptions;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly logger?: Logger;
  /** Uploaded source maps, for crashes of built JavaScript. Default: none. */
  readonly sourceMaps?: SourceMaps;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Time budgets, approval rules, retry schedules, and how runs and issues follow each other. Durations are in milliseconds.
 * Defaults: `resolvedRuns` comment, `closedIssues` resolve, `regressionIssues` new.
 */
export interface EnginePolicy extends Following {
  /** How long a rejected fingerprint is only counted. Default 7 days. */
  readonly quietAfterRejectMs: number;
  /** Time limit of the whole analysis at Gate 1. Default 120,000. */
  readonly analysisMs: number;
  /** Time limit of one explainer. Default 60,000. */
  readonly explainMs: number;
  /** How long a Gate 2 request waits before it responds with `publishing`. Default 25,000. */
  readonly publishWaitMs: number;
  /**
   * How long an issue that may have been created is searched for before it is created again. A listing that lags longer
   * makes a second issue. Default one hour.
   */
  readonly publishSearchMs: number;
  /** Rejects Gate 2 approvals without a digest (428). Default false. */
  readonly requireBoundApproval: boolean;
  /** How long a claim lasts unless it is renewed. Default one hour. */
  readonly claimMs: number;
  /** The reviewers who approved Gate 1 and who edited the draft last may not approve Gate 2. Default false. */
  readonly requireSecondPerson: boolean;
  /** Maximum diffs read per analysis; a code host may allow fewer. Default 50. Accuracy of both: docs/accuracy.md. */
  readonly diffBudget: number;
  /** Delays between attempts of a notification, before it is listed as failed. Default 1 s up to 5 h, about 8 h in total. */
  readonly notifyPausesMs: readonly number[];
  /**
   * When the crash of a published run returns, its issue is read to see whether it is closed: at once, then after delays that
   * double from 5 s up to this. Default 10 min.
   */
  readonly issueStateMs: number;
  /** Limits what each key, door and project may store; `null`: no limits. Default {@link DEFAULT_QUOTAS}. */
  readonly quotas: Quotas | null;
  /** Bytes of one stored event as JSON, 65,536 or more; what is cut is listed in its `trimmed`. Default 262,144. */
  readonly eventBytes: number;
  /** Time limit of `check()`, all connectors together. Default 5,000. */
  readonly checkMs: number;
}

/** The engine. Methods may be called concurrently; errors are `CulpritError`s. */
export interface Engine {
  /** Sanitises, normalises and records one crash. Rejects with `malformed` and the field's path if it is unreadable. */
  ingest(input: IngestInput): Promise<IngestResult>;
  /** Records an edge's batch; one outcome per delivery, in order. */
  ingestBatch(batch: DeliveryBatch): Promise<RecordResult>;
  /** What each key, door and project has used of its quota; empty if the storage does not count it. */
  quotaUsage(): Promise<readonly QuotaUsage[]>;

  runs(query: RunQuery): Promise<RunPage>;
  /** The values that a qualifier of searches has in the stored runs, most frequent first. */
  searchValues(query: ValuesQuery): Promise<readonly ValueCount[]>;
  /** Rejects with `run_not_found`. */
  run(runId: string): Promise<Run>;
  history(runId: string): Promise<readonly HistoryEntry[]>;
  /** The history with its seals, for `checkChain`; `null` for an unknown run. */
  chain(runId: string): Promise<HistoryChain | null>;
  /** The evidence of the latest analysis; `not_found` before Gate 1. */
  evidence(runId: string): Promise<EvidenceBundle>;
  /** Where the latest analysis found the frames, with lines around them. At Gate 1: what stands in the way of a suspect, too. */
  stack(runId: string): Promise<PlacedStack>;
  /**
   * One page of Markdown to start a fix from: crash, mechanism, suspects, files, how to reproduce, tests, and what is unknown. Text
   * from outside appears only in code spans and fences. Before Gate 1: the crash alone.
   */
  brief(runId: string): Promise<string>;
  /** What is known about the model that explains first; `null` if there is none, or it does not say. */
  model(): ModelStatus | null;
  /** The stored occurrences, latest first; none if the storage does not keep them. */
  occurrences(runId: string, query: OccurrenceQuery): Promise<OccurrencePage>;
  /** One occurrence with its event; `not_found` if its event is not stored. */
  occurrence(
    runId: string,
    number: number,
  ): Promise<{ readonly occurrence: OccurrenceEntry; readonly event: Event }>;
  /** Crashes by hour, releases, users and tags. */
  statistics(runId: string): Promise<RunStatistics>;
  /** The runs of the same crash before and after this one: what they were published as, what fixed them, and where they came back. */
  story(runId: string): Promise<RunStory>;
  /** The policy of this engine. */
  readonly policy: EnginePolicy;

  approveGateOne(runId: string, reviewer: Reviewer): Promise<GateOneResult>;
  /** Like `approveGateOne`, but resolves with the run as soon as the approval is stored. */
  startGateOne(runId: string, reviewer: Reviewer): Promise<Run>;
  rejectGateOne(runId: string, reviewer: Reviewer, reason: string): Promise<RejectResult>;
  /** `ifMatch` is the digest of the draft that was edited. */
  editDraft(runId: string, edit: DraftEdit, reviewer: Reviewer, ifMatch: string): Promise<Draft>;
  /** `digest` binds the approval to what was shown; without it, the approval is recorded as unbound. */
  approveGateTwo(runId: string, reviewer: Reviewer, digest?: string): Promise<GateTwoResult>;
  /** Like `approveGateTwo`, but resolves with the run as soon as the signature is stored. */
  startGateTwo(runId: string, reviewer: Reviewer, digest?: string): Promise<Run>;
  rejectGateTwo(
    runId: string,
    reviewer: Reviewer,
    reason: string,
    to: 'staged_raw' | 'rejected',
  ): Promise<RejectResult>;
  /**
   * Undoes a rejection: the run returns to the gate where it was rejected. Rejects with `state_conflict` if the run is not
   * rejected, or if its crash has started a later run.
   */
  reopen(runId: string, reviewer: Reviewer): Promise<Run>;
  /**
   * Marks a published run as fixed: its next crash is a regression, unless its release does not have the fix. What that does to
   * the issue is `policy.resolvedRuns` of the project; it is stored with the decision and done once. Repeated, it tries a failed
   * change of the issue again. Rejects with `state_conflict` if the run is not published or its crash has started a later run.
   */
  resolve(runId: string, reviewer: Reviewer, fixedIn?: FixedIn): Promise<Run>;
  /**
   * Undoes `resolve`, also on the issue. Rejects with `state_conflict` if the issue was closed on the code host: it has to be
   * opened there.
   */
  unresolve(runId: string, reviewer: Reviewer): Promise<Run>;
  /**
   * What `resolve` would do to the issue now; of a run that is marked as fixed, what `unresolve` would do. The comment names
   * the reviewer who decides.
   */
  resolutionEffect(runId: string, fixedIn?: FixedIn, reviewer?: Reviewer): Promise<IssueEffect>;
  /**
   * Hands a published run over, once for each target: `github` assigns the code host's coding agent to the issue, `webhook` is for the host's
   * receivers. `digest`: of the signed draft; `comments`: of `comments_unconfirmed`. Rejects with that, `state_conflict`, `draft_changed`, `hand_off_refused`.
   */
  handOff(runId: string, to: HandOffTarget, by: Reviewer, digest: string, comments?: string): Promise<Run>;
  /**
   * Merges a waiting run into another one, which counts its crashes from now on. Idempotent. Rejects with `merge_refused`; the
   * error's `reason` is one of `MERGE_REFUSALS`.
   */
  merge(runId: string, into: string, reviewer: Reviewer): Promise<MergeResult>;
  /** Undoes a merge: the run returns to its gate, with its crashes. Rejects with `state_conflict` if it is not merged. */
  split(runId: string, reviewer: Reviewer): Promise<MergeResult>;

  /**
   * Takes a waiting run out of the inbox until a time, a number of further crashes or the next release; then it returns to its
   * gate, unchanged. The first trusted crash of a run without one wakes it, too. Untrusted crashes of a run with trusted ones
   * are counted, and wake nothing. Snoozing a snoozed run replaces what it waits for.
   */
  snooze(runId: string, reviewer: Reviewer, until: SnoozeUntil, reason?: string): Promise<Run>;
  /** Ends a snooze. Rejects with `state_conflict` if the run is not snoozed. */
  wake(runId: string, reviewer: Reviewer): Promise<Run>;
  /**
   * Tells others that the reviewer looks at a waiting run; it keeps nobody from deciding. Ends with the next decision, with
   * `releaseClaim`, or after `policy.claimMs`. Rejects with `claimed` if another reviewer has claimed it, unless `takeOver` is set.
   */
  claim(runId: string, reviewer: Reviewer, takeOver?: boolean): Promise<Run>;
  /** Ends the reviewer's claim, if there is one. Rejects with `claimed` if it is another reviewer's. */
  releaseClaim(runId: string, reviewer: Reviewer): Promise<Run>;
  /** Adds a comment of at most 2,000 characters to the history, and to chat. It is sanitised and never published. */
  comment(runId: string, reviewer: Reviewer, comment: string): Promise<Run>;

  /** The issue that would be published if this reviewer approved Gate 2 now; once it is approved, the issue as signed. */
  preview(runId: string, reviewer?: Pick<Reviewer, 'name'>): Promise<IssuePreview>;
  /** What reviewers changed in the generated draft; `not_found` before Gate 1. */
  draftDifference(runId: string): Promise<DraftDifference>;
  /** Derives a published issue again and compares it with the one on the code host; `state_conflict` before Gate 2. */
  verify(runId: string): Promise<PublicationProof>;

  /**
   * The code host reported a change of an issue, or a fix of it. The issue's text names its run in the trailer; given its
   * number, the text is read first. The issue is then read again in the background. Resolves with the run's id, or `null` if this installation did not publish the issue.
   */
  issueChanged(
    issue: string | { readonly repository: string; readonly number: number },
  ): Promise<string | null>;

  /** Abandoned notifications, newest first, at most 200. A later success removes one. */
  failedNotifications(): Promise<readonly FailedNotification[]>;
  /** Sends a run's latest state to a notifier again; `not_found` if the connector is not a notifier. */
  retryNotification(connector: string, runId: string): Promise<void>;
  /** Recorded releases, their deploys, and what is counted of them. */
  readonly releases: EngineReleases;
  readonly feed: StatusFeed;
  /** The steps of the analyses that run in this process. */
  readonly progress: ProgressFeed;
  readonly values: Values;
  /** Where caches are shared; `null`: nowhere. */
  readonly cache: CacheStore | null;
  /** Counts and erases a person in the storage; `null` if the storage cannot. */
  readonly erasure: PersonErasure | null;
  /** True if other processes use the same storage. */
  readonly shared: boolean;
  /** Trackers by connector id, for hosts that receive deliveries themselves. */
  readonly trackers: ReadonlyMap<string, Tracker>;
  /** The engine's sanitiser, for the same hosts. */
  readonly sanitiser: Sanitiser;
  /** The checks of all connectors. */
  check(): Promise<readonly Check[]>;
  /** Rejects new work, waits for work in progress, closes connectors in reverse order. */
  close(): Promise<void>;
}
