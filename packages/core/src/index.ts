export type { Check, Connector, ConnectorContext, ConnectorParts, Ports } from './connector/connector.js';
export { type ConnectorDefinition, defineConnector, secret } from './connector/define-connector.js';
export { memoryValues } from './connector/memory-values.js';
export type { CodeMapping, LocatedFrame } from './domain/code-mapping.js';
export type { Delivery, DeliveryBatch, RawDelivery } from './domain/delivery.js';
export {
  canonicalDraft,
  DRAFT_LIMITS,
  type Draft,
  type DraftContent,
  TRAILER_CHARS,
} from './domain/draft.js';
export {
  type CrashException,
  type CrashObject,
  DOORS,
  type Door,
  type Event,
  type Frame,
  LEVELS,
  type Level,
} from './domain/event.js';
export { EVENT_ID, EVENT_ID_RULE } from './domain/event-id.js';
export type { EvidenceBundle, RecordedCall } from './domain/evidence.js';
export {
  type Citation,
  type Claim,
  type EvidenceItem,
  type EvidenceLocation,
  EXCEPTION_LABELS,
  type Explanation,
} from './domain/explanation.js';
export type { Fingerprint } from './domain/fingerprint.js';
export {
  type EntrySeal,
  type HistoryEntry,
  type NewHistoryEntry,
  type Reviewer,
  SURFACES,
  type Surface,
} from './domain/history.js';
export { canonicalJson, type JsonObject, type JsonValue } from './domain/json.js';
export { type Counting, countOccurrence } from './domain/occurrence.js';
export { OUTCOMES, type Outcome } from './domain/outcome.js';
export {
  CLOSED_STATES,
  type Lease,
  nextState,
  type Publication,
  type PublishIntent,
  REVISION_SOURCES,
  type Revision,
  type RevisionSource,
  RUN_STATES,
  type Run,
  type RunError,
  type RunRecord,
  type RunState,
  type RunSummary,
  summarise,
  TRANSITIONS,
  type Trigger,
  WAITING_STATES,
} from './domain/run.js';
export {
  type Hunk,
  type HunkLine,
  LINE_ROLES,
  type LineRole,
  NO_SUSPECT,
  type NoSuspect,
  type NoSuspectCode,
  type Reason,
  type ReasonCode,
  type ReasonFact,
  readSuspect,
  type Suspect,
  VERDICTS,
  type Verdict,
} from './domain/suspect.js';
export { createEngine } from './engine.js';
export type {
  DraftEdit,
  Engine,
  EngineOptions,
  EnginePolicy,
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  ProjectConfig,
  RejectResult,
} from './engine-api.js';
export { ERRORS, type ErrorCode } from './errors/catalogue.js';
export {
  CulpritError,
  type CulpritErrorOptions,
  isCulpritError,
  type Problem,
  problem,
} from './errors/error.js';
export {
  type AnalysisConfig,
  type AnalysisInput,
  type AnalysisParts,
  type AnalysisResult,
  type AnalysisStep,
  analyse,
} from './pipeline/analyse.js';
export { composeDraft } from './pipeline/draft/compose-draft.js';
export type { DraftSource } from './pipeline/draft/draft-source.js';
export { codeSpan, fence, permanentLink, safeTitle, tableCell } from './pipeline/draft/safe-markdown.js';
export { publishedBody, type TrailerParts, trailerOf } from './pipeline/draft/trailer.js';
export {
  type DraftDifference,
  draftDifference,
  type ListChange,
  unifiedDiff,
} from './pipeline/draft-difference.js';
export { ERASED, erasePerson, PERSON_CHARS } from './pipeline/erase-person.js';
export type { PlacedFrame, PlacedStack } from './pipeline/evidence/placed-frames.js';
export { replay } from './pipeline/evidence/replay.js';
export { frozenClock, replayingCodeHost } from './pipeline/evidence/replay-parts.js';
export { evidenceKey } from './pipeline/evidence-key.js';
export { checkExplanation } from './pipeline/explain/check-explanation.js';
export { MEANINGS, PHRASES, type Segment, segmentsOf, sentence } from './pipeline/explain/phrases.js';
export type { FailedNotification } from './pipeline/failed-notifications.js';
export { fingerprintEvent } from './pipeline/fingerprint/index.js';
export { hmacSha256Hex, sha256Hex } from './pipeline/hash.js';
export {
  AUDIT_KEY_CHARS,
  type ChainCheck,
  type ChainFinding,
  type ChainParts,
  checkChain,
  type SealedEntry,
  sealEntry,
} from './pipeline/history-chain.js';
export { explainFrame, type LocationExplained, type LocationStep } from './pipeline/locate/explain-frame.js';
export { locateFrames } from './pipeline/locate/locate-frames.js';
export { indexTree, type TreeIndex } from './pipeline/locate/tree-index.js';
export {
  checkCrashObject,
  crashObjectSchema,
  eventIdOf,
  normalise,
  SHAPE_LIMITS,
  type Shape,
  titleOf,
} from './pipeline/normalise/index.js';
export { type ParsedStack, parseStack } from './pipeline/parse-stack/index.js';
export { type RankWeights, rankCandidates } from './pipeline/rank/rank-candidates.js';
export { reason } from './pipeline/rank/reason-wording.js';
export type {
  ChangeFacts,
  Position,
  RankedCandidate,
  RankInput,
  View,
} from './pipeline/rank/types.js';
export {
  CORE_STAGE_ONE,
  CORE_STAGE_TWO,
  NATIVE_RULE,
  RANKING_VERSION,
  type Weights,
} from './pipeline/rank/weights.js';
export {
  createSanitiser,
  type Finding,
  ISSUER_TOKENS,
  type IssuerToken,
  linearPattern,
  type Sanitiser,
  type SanitiserOptions,
  type SanitiserRule,
  type ScrubRule,
  sanitiseJson,
  sanitiseText,
  standardSanitiser,
} from './pipeline/sanitise/index.js';
export {
  type ProofStep,
  type PublicationParts,
  type PublicationProof,
  verifyPublication,
} from './pipeline/verify-publication.js';
export { DEFAULT_POLICY } from './policy.js';
export type { Clock } from './ports/clock.js';
export type {
  Blame,
  BlamedFile,
  BlameRange,
  CodeHost,
  Commit,
  Diff,
  DiffFile,
  DiffHunk,
  RevisionHints,
  Tree,
} from './ports/code-host.js';
export type { Explainer, ExplainRequest } from './ports/explainer.js';
export type { IdGenerator } from './ports/id-generator.js';
export type { Logger } from './ports/logger.js';
export type { Notifier } from './ports/notifier.js';
export type { IssueToPublish, PublishedIssue, Publisher } from './ports/publisher.js';
export type { RunHistory } from './ports/run-history.js';
export type {
  BatchItem,
  Occurrence,
  RecordBatch,
  Recorded,
  RecordPolicy,
  RecordResult,
  RunChange,
  RunPage,
  RunPatch,
  RunQuery,
  RunStore,
} from './ports/run-store.js';
export type { FeedCursor, FeedEntry, StatusFeed } from './ports/status-feed.js';
export type { ParsedCrash, ParsedDelivery, Tracker, Verification } from './ports/tracker.js';
export type { Values } from './ports/values.js';
export { silentLogger, systemClock, systemIds } from './system.js';
