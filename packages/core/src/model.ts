// Over 300 lines: the public names of one entry, which is one file.
// The documents that Culprit stores, publishes and sends, with their schemas and limits. Runs in a browser.
export { COMMENT_LIMITS, claimOf, type RunClaim } from './domain/claim.js';
export type { CodeMapping, LocatedFrame } from './domain/code-mapping.js';
export {
  COMEBACK_WORDS,
  type Comeback,
  type ComebackCode,
  comebacksOf,
  type Returned,
} from './domain/comeback.js';
export type { CrashPlace } from './domain/crash-place.js';
export { clockDiffers, crashTimeOf } from './domain/crash-time.js';
export type { Delivery, DeliveryBatch, RawDelivery } from './domain/delivery.js';
export {
  canonicalDraft,
  DRAFT_LIMITS,
  type Draft,
  type DraftContent,
  type DraftEdit,
  type ReopenTarget,
} from './domain/draft.js';
export {
  type CrashException,
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
export { type Fix, fixName, missingText, type RunFix } from './domain/fix.js';
export { HAND_OFF_TARGETS, type HandOff, type HandOffTarget } from './domain/hand-off.js';
export {
  AUDIT_KEY_CHARS,
  type EntrySeal,
  type HistoryEntry,
  type NewHistoryEntry,
  type Reviewer,
  SURFACES,
  type Surface,
} from './domain/history.js';
export { type GapCode, type GapFact, type HistoryGap, historyGap } from './domain/history-gap.js';
export { canonicalJson, type JsonObject, type JsonValue } from './domain/json.js';
export { isKeptEvent, KEPT_EVENTS, type KeptEvent, keepEvent } from './domain/kept-events.js';
export { membersOf, type RunCounts, type RunMember } from './domain/member.js';
export {
  MERGE_REFUSALS,
  MERGE_TARGETS,
  type MergeCandidate,
  type MergeRefusal,
  MOST_MEMBERS,
  mergedCount,
  mergeRefusal,
} from './domain/merge.js';
export {
  entryOf,
  type Facet,
  OCCURRENCE_LIMITS,
  type OccurrenceEntry,
  type OccurrenceRow,
  rowOf,
  slimRow,
} from './domain/occurrence-row.js';
export { OUTCOMES, type Outcome } from './domain/outcome.js';
export {
  ASSIGN_RULES,
  type AssignRule,
  type CodeOwner,
  OWNER_KINDS,
  OWNERS_DIALECTS,
  OWNERS_PROBLEMS,
  OWNERS_UNREAD,
  type OwnedFile,
  type OwnerKind,
  type OwnerRule,
  type OwnersDialect,
  type Ownership,
  type OwnersProblem,
  type OwnersProblemCode,
  type OwnersUnread,
  ownedFiles,
  ruleName,
} from './domain/ownership.js';
export { nameWithSubject, samePerson } from './domain/person.js';
export {
  addCounts,
  DEFAULT_QUOTAS,
  differenceOf,
  excessDetail,
  excessOf,
  hourOf,
  keptCounts,
  limitExceeded,
  NO_COUNTS,
  QUOTA_LIMITS,
  QUOTA_SCOPES,
  type Quota,
  type QuotaCounts,
  type QuotaExcess,
  type QuotaLimit,
  type QuotaOwner,
  type QuotaScope,
  type QuotaSubject,
  type Quotas,
  type QuotaUsage,
  REFUSED_COUNTS,
  STORED_BLOCK,
  scopesOfOwner,
  startedCounts,
  storedBytes,
} from './domain/quota.js';
export {
  commitsText,
  type Deploy,
  durationText,
  RELEASE_LIMITS,
  type Release,
  type ReleaseCommit,
  type ReleaseCounts,
  type ReleaseWindow,
  type RunRelease,
  versionProblem,
} from './domain/release.js';
export {
  CLOSED_ISSUES,
  effectText,
  type FixedIn,
  type Following,
  type FollowUp,
  type FollowUpProgress,
  type IssueEffect,
  type LinkBack,
  type LinkedIssue,
  linkBackText,
  REGRESSION_ISSUES,
  RESOLUTIONS,
  RESOLVED_RUNS,
  type Resolution,
  resolutionText,
} from './domain/resolution.js';
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
  countRows,
  NO_STATISTICS,
  type ReleaseCount,
  type RunStatistics,
  readStatistics,
  STATISTICS_LIMITS,
  type StoredStatistics,
  type TagCount,
  withoutUser,
} from './domain/run-statistics.js';
export {
  documentValues,
  documentWords,
  eventLines,
  runLines,
  type SearchDocument,
  type SearchField,
  type SearchLine,
  searchDocument,
} from './domain/search/document.js';
export {
  decidedByWords,
  matchesLines,
  matchesSearch,
  type PreparedDocument,
  prepareDocument,
} from './domain/search/match-search.js';
export {
  type ParsedSearch,
  parseSearch,
  SEARCH_LIMITS,
  type SearchProblem,
  type SearchTerm,
  searchProblemText,
  withQualifier,
} from './domain/search/parse-search.js';
export {
  isValueField,
  QUALIFIERS,
  type Qualifier,
  qualifierOf,
  type TextField,
  VALUE_FIELDS,
  type ValueField,
} from './domain/search/qualifiers.js';
export { placeInOrder, RUN_ORDERS, type RunOrder, rankOfUsers } from './domain/search/run-order.js';
export { searchedWords } from './domain/search/words.js';
export {
  SNOOZE_KINDS,
  SNOOZE_LIMITS,
  type Snooze,
  type SnoozedFrom,
  type SnoozeUntil,
  snoozeText,
  WAKE_REASONS,
  type WakeReason,
  type Woken,
  wokenText,
} from './domain/snooze.js';
export {
  draftIsOutdated,
  type Source,
  type SourcedRun,
  sourcesOf,
  type TrustMix,
  trustMix,
} from './domain/source.js';
export {
  type Chapter,
  type ChapterIssue,
  chapterText,
  ISSUE_END_WORDS,
  ISSUE_ENDS,
  type IssueEnd,
  MOST_CHAPTERS,
  type RunStory,
  storyText,
} from './domain/story.js';
export {
  type FileMove,
  furtherGaps,
  type Hunk,
  type HunkLine,
  LINE_ROLES,
  type LineRole,
  MECHANISM_CODES,
  type MechanismCode,
  NO_SUSPECT,
  NO_SUSPECT_REMEDY,
  type NoSuspect,
  type NoSuspectCode,
  type Reason,
  type ReasonCode,
  type ReasonFact,
  readSuspect,
  remedyOf,
  type Suspect,
} from './domain/suspect.js';
export { TRUSTS, type Trust, trustOf } from './domain/trust.js';
export { replaceUnseen } from './domain/unseen.js';
export {
  type AffectedUsers,
  countUsers,
  hasOtherUsers,
  type UserCount,
  usersOfStatistics,
} from './domain/user-count.js';
export {
  likelihood,
  mightStandOut,
  percent,
  type Unrated,
  unratedText,
  VERDICT_WORDS,
  VERDICTS,
  type Verdict,
} from './domain/verdict.js';
export type { GateOneResult, GateTwoResult, MergeResult, RejectResult } from './engine-results.js';
export { ERRORS, type ErrorCode } from './errors/catalogue.js';
export type { Problem } from './errors/error.js';
export type { AnalysisStep } from './pipeline/analysis.js';
export { SHAPE_LIMITS, type Shape } from './pipeline/crash-object/fit-shape.js';
export { crashObjectSchema } from './pipeline/crash-object/json-schema.js';
export type { DraftDifference, ListChange } from './pipeline/draft-difference.js';
export { draftDifference } from './pipeline/draft-difference.js';
export { ERASED, PERSON_CHARS } from './pipeline/erase-person.js';
export type {
  Outlook,
  PlacedException,
  PlacedFrame,
  PlacedOriginal,
  PlacedStack,
} from './pipeline/evidence/placed-frames.js';
export type { FailedNotification } from './pipeline/failed-notifications.js';
export type { ChainCheck, ChainFinding } from './pipeline/history-chain.js';
export { hasBuiltFrames } from './pipeline/source-maps/missing-before.js';
export {
  MISSING_SOURCE_MAP,
  type MissingSourceMap,
  type MissingSourceMapCode,
  missingMapText,
} from './pipeline/source-maps/missing-maps.js';
export type { ProofStep, PublicationProof } from './pipeline/verify-publication.js';
export type { OccurrencePage, OccurrenceQuery } from './ports/run-occurrences.js';
export type {
  Recorded,
  RecordResult,
  RunPage,
  RunQuery,
} from './ports/run-store.js';
export type { ValueCount, ValuesQuery } from './ports/run-values.js';
export type { FeedCursor, FeedEntry } from './ports/status-feed.js';
