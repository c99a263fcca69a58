// The steps of the analysis, for benchmarks, replay and the reference host. UNSTABLE: any release may change these names.

export type { StoredKey } from './domain/stored-values.js';
export {
  type AnalysisConfig,
  type AnalysisInput,
  type AnalysisParts,
  type AnalysisResult,
  type AnalysisStep,
  analyse,
} from './pipeline/analyse.js';
export { checkCrashObject } from './pipeline/crash-object/check-crash-object.js';
export { ANYTHING, CRASH, EXCEPTIONS, KIND, type ValueShape } from './pipeline/crash-object/crash-shape.js';
export { fitShape } from './pipeline/crash-object/fit-shape.js';
export { composeDraft } from './pipeline/draft/compose-draft.js';
export type { DraftSource } from './pipeline/draft/draft-source.js';
export { shortFunction } from './pipeline/draft/frame-place.js';
export { codeSpan, fence, permanentLink, safeTitle, tableCell } from './pipeline/draft/safe-markdown.js';
export { scrubMarkdown } from './pipeline/draft/scrub-markdown.js';
export { hunkDiff } from './pipeline/draft/suspect-section.js';
export { publishedBody, type TrailerParts, trailerOf } from './pipeline/draft/trailer.js';
export { clip, withoutUnseen } from './pipeline/draft/visible.js';
export { draftDifference, unifiedDiff } from './pipeline/draft-difference.js';
export { replay } from './pipeline/evidence/replay.js';
export { frozenClock, replayingCodeHost } from './pipeline/evidence/replay-parts.js';
export { checkExplanation } from './pipeline/explain/check-explanation.js';
export { PHRASES, type Segment, segmentsOf } from './pipeline/explain/phrases.js';
export { type Findings, findSuspects } from './pipeline/find-suspects.js';
export { fingerprintEvent, fingerprintsOf } from './pipeline/fingerprint/index.js';
export { hmacSha256Hex, sha256Hex } from './pipeline/hash.js';
export { type ChainParts, checkChain } from './pipeline/history-chain.js';
export { crashException } from './pipeline/locate/crash-exception.js';
export { isDeniedPath } from './pipeline/locate/denied-path.js';
export { explainFrame, type LocationExplained, type LocationStep } from './pipeline/locate/explain-frame.js';
export { locateFrames } from './pipeline/locate/locate-frames.js';
export { namedPaths } from './pipeline/locate/named-paths.js';
export { originalsIn } from './pipeline/locate/source-maps.js';
export { indexTree, type TreeIndex } from './pipeline/locate/tree-index.js';
export {
  boundEvent,
  EVENT_BYTES,
  LEAST_EVENT_BYTES,
  normalise,
  titleOf,
} from './pipeline/normalise/index.js';
export { parseTimestamp } from './pipeline/normalise/time.js';
export { type ParsedStack, parseStack } from './pipeline/parse-stack/index.js';
export { kindOf } from './pipeline/rank/file-kind.js';
export { type RankWeights, rankCandidates } from './pipeline/rank/rank-candidates.js';
export { reason } from './pipeline/rank/reason-wording.js';
export type { ChangeFacts, Position, RankedCandidate, RankInput, View } from './pipeline/rank/types.js';
export {
  CORE_STAGE_ONE,
  CORE_STAGE_TWO,
  NATIVE_RULE,
  RANKING_VERSION,
  type Weights,
} from './pipeline/rank/weights.js';
export { type HistoryChain, readChain } from './pipeline/read-chain.js';
export { withinBudget } from './pipeline/sanitise/budget.js';
export { isCardNumber } from './pipeline/sanitise/checksums.js';
export {
  createSanitiser,
  ISSUER_TOKENS,
  type IssuerToken,
  linearPattern,
  sanitiseJson,
  standardSanitiser,
} from './pipeline/sanitise/index.js';
export { issuerToken } from './pipeline/sanitise/issuers.js';
export type { KeyFacts } from './pipeline/sanitise/key-facts.js';
export { KEY_NAMES } from './pipeline/sanitise/key-kinds.js';
export { goesByName, type LeafContext, touchesLeaf } from './pipeline/sanitise/leaf.js';
export { type CompiledRules, rulesOf, sanitiserFor } from './pipeline/sanitise/sanitise.js';
export { ESCAPED, scanInJson, scannedTo } from './pipeline/sanitise/scan.js';
export { createUnits } from './pipeline/sanitise/text-sanitiser.js';
export { scrubFile } from './pipeline/scrub-text.js';
export { type PublicationParts, verifyPublication } from './pipeline/verify-publication.js';
export { PART_VERSIONS } from './pipeline/versions.js';
export { type Stored, type StoredList, stored, storedList } from './runs/stored.js';
