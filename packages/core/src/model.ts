// The documents that Culprit stores, publishes and sends, with their schemas and limits. Runs in a browser.
export { COMMENT_LIMITS, claimOf } from './domain/claim.js';
export { COMEBACK_WORDS, type Comeback, comebacksOf } from './domain/comeback.js';
export { clockDiffers } from './domain/crash-time.js';
export { canonicalDraft, DRAFT_LIMITS, type Draft, type DraftEdit } from './domain/draft.js';
export { type CrashException, DOORS, type Event, type Frame, LEVELS } from './domain/event.js';
export { EVENT_ID, EVENT_ID_RULE } from './domain/event-id.js';
export { type Citation, EXCEPTION_LABELS } from './domain/explanation.js';
export { fixName, missingText, type RunFix } from './domain/fix.js';
export { HAND_OFF_TARGETS, type HandOffTarget } from './domain/hand-off.js';
export { AUDIT_KEY_CHARS, type HistoryEntry, SURFACES } from './domain/history.js';
export { type HistoryGap, historyGap } from './domain/history-gap.js';
export { canonicalJson, type JsonObject, type JsonValue } from './domain/json.js';
export { isKeptEvent, type KeptEvent, keepEvent } from './domain/kept-events.js';
export { MERGE_REFUSALS, MERGE_TARGETS, mergedCount, mergeRefusal } from './domain/merge.js';
export {
  entryOf,
  OCCURRENCE_LIMITS,
  type OccurrenceEntry,
  type OccurrenceRow,
  rowOf,
  slimRow,
} from './domain/occurrence-row.js';
export { OUTCOMES } from './domain/outcome.js';
export {
  ASSIGN_RULES,
  type CodeOwner,
  OWNER_KINDS,
  OWNERS_DIALECTS,
  OWNERS_PROBLEMS,
  OWNERS_UNREAD,
  type OwnerRule,
  type Ownership,
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
  REFUSED_COUNTS,
  scopesOfOwner,
  startedCounts,
} from './domain/quota.js';
export { commitsText, durationText, RELEASE_LIMITS, type RunRelease } from './domain/release.js';
export {
  CLOSED_ISSUES,
  effectText,
  type FixedIn,
  type IssueEffect,
  type LinkBack,
  linkBackText,
  REGRESSION_ISSUES,
  RESOLUTIONS,
  RESOLVED_RUNS,
  type Resolution,
  resolutionText,
} from './domain/resolution.js';
export {
  CLOSED_STATES,
  nextState,
  REVISION_SOURCE_WORDS,
  REVISION_SOURCES,
  RUN_STATES,
  type Run,
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
  type RunStatistics,
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
  parseSearch,
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
  VALUE_FIELDS,
  type ValueField,
} from './domain/search/qualifiers.js';
export { placeInOrder, RUN_ORDERS, type RunOrder, rankOfUsers } from './domain/search/run-order.js';
export { searchedWords } from './domain/search/words.js';
export { SNOOZE_LIMITS, type SnoozeUntil, snoozeText, WAKE_REASONS, wokenText } from './domain/snooze.js';
export { draftIsOutdated, type Source, sourcesOf, trustMix } from './domain/source.js';
export {
  type Chapter,
  chapterText,
  ISSUE_END_WORDS,
  ISSUE_ENDS,
  MOST_CHAPTERS,
  type RunStory,
  storyText,
} from './domain/story.js';
export {
  furtherGaps,
  type Hunk,
  LINE_ROLES,
  MECHANISM_CODES,
  NO_SUSPECT,
  type NoSuspect,
  readSuspect,
  remedyOf,
  type Suspect,
} from './domain/suspect.js';
export { TRUSTS, trustOf } from './domain/trust.js';
export { replaceUnseen } from './domain/unseen.js';
export { countUsers, hasOtherUsers, type UserCount, usersOfStatistics } from './domain/user-count.js';
export {
  likelihood,
  mightStandOut,
  STANDINGS,
  unratedText,
  unratedTexts,
  VERDICT_WORDS,
  VERDICTS,
} from './domain/verdict.js';
export { ERRORS } from './errors/catalogue.js';
export type { AnalysisStep } from './pipeline/analysis.js';
export { SHAPE_LIMITS, type Shape } from './pipeline/crash-object/fit-shape.js';
export { crashObjectSchema } from './pipeline/crash-object/json-schema.js';
export type { DraftDifference } from './pipeline/draft-difference.js';
export { draftDifference } from './pipeline/draft-difference.js';
export { ERASED, PERSON_CHARS } from './pipeline/erase-person.js';
export type { Outlook, PlacedFrame, PlacedStack } from './pipeline/evidence/placed-frames.js';
export type { FailedNotification } from './pipeline/failed-notifications.js';
export type { ChainFinding } from './pipeline/history-chain.js';
export { hasBuiltFrames, MISSING_SOURCE_MAP, missingMapText } from './pipeline/source-maps/missing-maps.js';
export type { ValueCount } from './ports/run-values.js';
