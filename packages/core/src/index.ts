export type { Check, Connector, ConnectorContext, ConnectorParts, Ports } from './connector/connector.js';
export { type ConnectorDefinition, defineConnector, secret } from './connector/define-connector.js';
export { claimOf, type RunClaim } from './domain/claim.js';
export type { CodeMapping } from './domain/code-mapping.js';
export { type Comeback, type ComebackCode, cameBack, comebacksOf, type Returned } from './domain/comeback.js';
export type { CrashPlace } from './domain/crash-place.js';
export { clockDiffers, crashTimeOf } from './domain/crash-time.js';
export type { Delivery, DeliveryBatch, RawDelivery } from './domain/delivery.js';
export type { Draft, DraftEdit, ReopenTarget } from './domain/draft.js';
export type { CrashException, Door, Event, Frame, Level } from './domain/event.js';
export type { EvidenceBundle, RecordedCall } from './domain/evidence.js';
export type { Citation, Claim, EvidenceItem, EvidenceLocation, Explanation } from './domain/explanation.js';
export type { Fingerprint } from './domain/fingerprint.js';
export type { Fix, RunFix } from './domain/fix.js';
export { continues, type Family, type Group, type Joined, joinFamily, type Traits } from './domain/group.js';
export type { HandOff, HandOffTarget } from './domain/hand-off.js';
export type { EntrySeal, HistoryEntry, NewHistoryEntry, Reviewer, Surface } from './domain/history.js';
export type { GapCode, GapFact, HistoryGap } from './domain/history-gap.js';
export type { JsonObject, JsonValue } from './domain/json.js';
export type { RunCounts, RunMember } from './domain/member.js';
export type { MergeRefusal } from './domain/merge.js';
export { type Counting, countOccurrence } from './domain/occurrence.js';
export type { Facet, OccurrenceEntry, OccurrenceRow } from './domain/occurrence-row.js';
export type { Outcome } from './domain/outcome.js';
export {
  type AssignRule,
  type CodeOwner,
  OWNERS_BYTES,
  OWNERS_PLACES,
  type OwnedFile,
  type OwnerKind,
  type OwnerRule,
  type OwnersDialect,
  type Ownership,
  type OwnersProblem,
  type OwnersProblemCode,
  type OwnersUnread,
} from './domain/ownership.js';
export type { ProjectConfig } from './domain/project-config.js';
export type {
  Quota,
  QuotaCounts,
  QuotaExcess,
  QuotaLimit,
  QuotaOwner,
  QuotaScope,
  QuotaSubject,
  Quotas,
  QuotaUsage,
} from './domain/quota.js';
export type {
  Deploy,
  Release,
  ReleaseCommit,
  ReleaseCounts,
  RunRelease,
} from './domain/release.js';
export type {
  FixedIn,
  Following,
  FollowUp,
  FollowUpProgress,
  IssueEffect,
  LinkBack,
  LinkedIssue,
  Resolution,
} from './domain/resolution.js';
export type {
  Lease,
  Publication,
  PublishIntent,
  Revision,
  RevisionSource,
  Run,
  RunError,
  RunRecord,
  RunState,
  RunSummary,
} from './domain/run.js';
export type { ReleaseCount, RunStatistics, StoredStatistics, TagCount } from './domain/run-statistics.js';
export type { Snooze, SnoozedFrom, SnoozeUntil, WakeReason, Woken } from './domain/snooze.js';
export {
  draftIsOutdated,
  type Source,
  type SourcedRun,
  sourcesOf,
  type TrustMix,
  trustMix,
} from './domain/source.js';
export type { Chapter, ChapterIssue, IssueEnd, RunStory } from './domain/story.js';
export type {
  FileMove,
  Hunk,
  HunkLine,
  LineRole,
  MechanismCode,
  NoSuspect,
  NoSuspectCode,
  Reason,
  ReasonCode,
  ReasonFact,
  Suspect,
} from './domain/suspect.js';
export { type Trust, trustOf } from './domain/trust.js';
export type { Unrated, Verdict } from './domain/verdict.js';
export { createEngine } from './engine.js';
export type { Engine, EngineOptions, EnginePolicy } from './engine-api.js';
export type { EngineReleases } from './engine-releases.js';
export type {
  CompareOptions,
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  IssuePreview,
  MergeResult,
  RejectResult,
} from './engine-results.js';
export type { ErrorCode } from './errors/catalogue.js';
export {
  CulpritError,
  type CulpritErrorOptions,
  isCulpritError,
  type Problem,
  problem,
} from './errors/error.js';
export type { AnalysisStep } from './pipeline/analysis.js';
export type { CrashObject } from './pipeline/crash-object/crash-shape.js';
export { eventIdOf } from './pipeline/crash-object/event-id-of.js';
export { codeSpan, fence, safeTitle } from './pipeline/draft/safe-markdown.js';
export { hasMarker, namedRun } from './pipeline/draft/trailer.js';
export type { DraftDifference, ListChange } from './pipeline/draft-difference.js';
export { erasePerson } from './pipeline/erase-person.js';
export type {
  Outlook,
  PlacedException,
  PlacedFrame,
  PlacedOriginal,
  PlacedStack,
} from './pipeline/evidence/placed-frames.js';
export { cleanEvidence } from './pipeline/evidence/readable.js';
export { EVIDENCE_FAMILY, evidenceKey } from './pipeline/evidence-key.js';
export type {
  ComparedExplanation,
  ExplanationComparison,
  NoAnswerCode,
} from './pipeline/explain/compare-explanations.js';
export { MEANINGS, sentence } from './pipeline/explain/phrases.js';
export type { FailedNotification } from './pipeline/failed-notifications.js';
export { type SealedEntry, sealEntry } from './pipeline/history-chain.js';
export type { ReleasePage, ReleaseProject } from './pipeline/releases/release-book.js';
export type { NewDeploy, ReleaseContent, ReleaseFacts } from './pipeline/releases/release-facts.js';
export {
  type Finding,
  type Sanitiser,
  type SanitiserOptions,
  type SanitiserRule,
  type ScrubRule,
  sanitiseText,
} from './pipeline/sanitise/index.js';
export type { MissingSourceMap, MissingSourceMapCode } from './pipeline/source-maps/missing-maps.js';
export type { ProofStep, PublicationProof } from './pipeline/verify-publication.js';
export { DEFAULT_POLICY } from './policy.js';
export type { CacheStore } from './ports/cache.js';
export type { Clock } from './ports/clock.js';
export type {
  Ancestry,
  Blame,
  BlamedFile,
  BlameRange,
  CodeHost,
  Commit,
  CommitRange,
  Diff,
  DiffFile,
  DiffHunk,
  OwnersFile,
  OwnersReader,
  RevisionHints,
  Tree,
} from './ports/code-host.js';
export type {
  Explainer,
  ExplainRequest,
  ModelLimit,
  ModelStatus,
  Reading,
  ReadingRequest,
} from './ports/explainer.js';
export type { IdGenerator } from './ports/id-generator.js';
export type { Logger } from './ports/logger.js';
export type { Notifier, RunComment } from './ports/notifier.js';
export type {
  ErasedRuns,
  ErasedValues,
  ErasureOrder,
  ErasureStep,
  PersonErasure,
} from './ports/person-erasure.js';
export type {
  ClosedAs,
  CodingAgent,
  IssueComment,
  IssueEdit,
  IssueEdits,
  IssueToPublish,
  PublishedComment,
  PublishedIssue,
  Publisher,
  Reopening,
} from './ports/publisher.js';
export type { RunHistory } from './ports/run-history.js';
export type { Countable, CountedOn, RunIncidents } from './ports/run-incidents.js';
export type { OccurrencePage, OccurrenceQuery, RunOccurrences } from './ports/run-occurrences.js';
export type {
  ChangedPair,
  DecidedPair,
  DecidedRun,
  FoundPair,
  PairChange,
  RunPairs,
} from './ports/run-pairs.js';
export type {
  BatchItem,
  Occurrence,
  RecordBatch,
  Recorded,
  RecordPolicy,
  RecordResult,
  Refusal,
  RunChange,
  RunPage,
  RunPatch,
  RunQuery,
  RunStore,
} from './ports/run-store.js';
export type { RunUsage } from './ports/run-usage.js';
export type { RunValues, ValueCount, ValuesQuery } from './ports/run-values.js';
export type {
  BuiltFrame,
  OriginalFrame,
  SourceMapOutcome,
  SourceMapQuery,
  SourceMaps,
} from './ports/source-maps.js';
export type { FeedCursor, FeedEntry, StatusFeed } from './ports/status-feed.js';
export type { Systems } from './ports/systems.js';
export type {
  ParsedCrash,
  ParsedDelivery,
  RejectedCrashes,
  Tracker,
  Verification,
} from './ports/tracker.js';
export type { Values } from './ports/values.js';
export type { AnalysisProgress, ProgressFeed } from './runs/progress.js';
export { readSearch } from './runs/read-search.js';
export { silentLogger, systemClock, systemIds } from './system.js';
