export type { Check, Connector, ConnectorContext, ConnectorParts, Ports } from './connector/connector.js';
export { type ConnectorDefinition, defineConnector, secret } from './connector/define-connector.js';
export type { CodeMapping } from './domain/code-mapping.js';
export { cameBack, comebacksOf } from './domain/comeback.js';
export { clockDiffers, crashTimeOf } from './domain/crash-time.js';
export type { Delivery, DeliveryBatch, RawDelivery } from './domain/delivery.js';
export type { Draft } from './domain/draft.js';
export type { CrashException, Door, Event, Frame } from './domain/event.js';
export type { EvidenceBundle, RecordedCall } from './domain/evidence.js';
export type { Citation, Claim, EvidenceItem, EvidenceLocation, Explanation } from './domain/explanation.js';
export { continues, type Group, joinFamily } from './domain/group.js';
export type { HistoryEntry, NewHistoryEntry, Reviewer } from './domain/history.js';
export type { GapFact } from './domain/history-gap.js';
export type { JsonObject, JsonValue } from './domain/json.js';
export type { RunMember } from './domain/member.js';
export type { MergeRefusal } from './domain/merge.js';
export { countOccurrence } from './domain/occurrence.js';
export type { OccurrenceEntry, OccurrenceRow } from './domain/occurrence-row.js';
export type { Outcome } from './domain/outcome.js';
export {
  OWNERS_BYTES,
  OWNERS_PLACES,
  type OwnersDialect,
  type Ownership,
  type OwnersProblemCode,
  type OwnersUnread,
} from './domain/ownership.js';
export type { ProjectConfig } from './domain/project-config.js';
export type {
  Quota,
  QuotaCounts,
  QuotaExcess,
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
export type { FollowUp } from './domain/resolution.js';
export type {
  Revision,
  RevisionSource,
  Run,
  RunError,
  RunRecord,
  RunState,
  RunSummary,
} from './domain/run.js';
export type { RunStatistics, StoredStatistics } from './domain/run-statistics.js';
export { draftIsOutdated, type Source, sourcesOf, trustMix } from './domain/source.js';
export { ERASED_VALUES, type HoldsPeople, holdsPeople, isSecretValue } from './domain/stored-values.js';
export type { Chapter, RunStory } from './domain/story.js';
export type { HunkLine, NoSuspectCode, Suspect } from './domain/suspect.js';
export { type Trust, trustOf } from './domain/trust.js';
export { createEngine } from './engine.js';
export type { Engine, EngineOptions, EnginePolicy } from './engine-api.js';
export type { EngineReleases } from './engine-releases.js';
export type {
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  MergeResult,
  RejectResult,
} from './engine-results.js';
export type { ErrorCode } from './errors/catalogue.js';
export { CulpritError, isCulpritError, problem } from './errors/error.js';
export type { CrashObject } from './pipeline/crash-object/crash-shape.js';
export { eventIdOf } from './pipeline/crash-object/event-id-of.js';
export { codeSpan, fence, safeTitle } from './pipeline/draft/safe-markdown.js';
export { hasMarker, namedRun } from './pipeline/draft/trailer.js';
export type { DraftDifference } from './pipeline/draft-difference.js';
export { erasePerson } from './pipeline/erase-person.js';
export type { PlacedFrame, PlacedStack } from './pipeline/evidence/placed-frames.js';
export { cleanEvidence } from './pipeline/evidence/readable.js';
export { EVIDENCE_FAMILY, evidenceKey } from './pipeline/evidence-key.js';
export { MEANINGS, sentence } from './pipeline/explain/phrases.js';
export { sealEntry } from './pipeline/history-chain.js';
export type { ReleaseFacts } from './pipeline/releases/release-facts.js';
export {
  type Finding,
  type Sanitiser,
  type SanitiserOptions,
  type SanitiserRule,
  type ScrubRule,
  sanitiseText,
} from './pipeline/sanitise/index.js';
export type { MissingSourceMapCode } from './pipeline/source-maps/missing-maps.js';
export type { PublicationProof } from './pipeline/verify-publication.js';
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
export type { Countable, CountedOn } from './ports/run-incidents.js';
export type { OccurrencePage, OccurrenceQuery, RunOccurrences } from './ports/run-occurrences.js';
export type { ChangedPair, DecidedRun, PairChange } from './ports/run-pairs.js';
export type {
  BatchItem,
  Occurrence,
  RecordBatch,
  Recorded,
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
export type {
  ParsedCrash,
  ParsedDelivery,
  RejectedCrashes,
  Tracker,
  Verification,
} from './ports/tracker.js';
export type { Values } from './ports/values.js';
export type { AnalysisProgress } from './runs/progress.js';
export { readSearch } from './runs/read-search.js';
export { silentLogger, systemClock, systemIds } from './system.js';
