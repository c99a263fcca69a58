// For programs that embed an engine. Connectors: ./connector/index.ts. Everything else is internal and may change in any release.

export type { Check, Connector } from './connector/connector.js';
export type { Event } from './domain/event.js';
export type { EvidenceBundle } from './domain/evidence.js';
export type { HistoryEntry, Reviewer } from './domain/history.js';
export type { JsonObject, JsonValue } from './domain/json.js';
export type { OccurrenceEntry } from './domain/occurrence-row.js';
export type { ProjectConfig } from './domain/project-config.js';
export type { Release } from './domain/release.js';
export type { Run, RunPage, RunState, RunSummary } from './domain/run.js';
export type { RunStatistics } from './domain/run-statistics.js';
export type { RunStory } from './domain/story.js';
export { createEngine } from './engine.js';
export type { Engine, EngineOptions, EnginePolicy, EngineReleases } from './engine-api.js';
export type {
  GateOneResult,
  GateTwoResult,
  IngestInput,
  IngestResult,
  MergeResult,
  RejectResult,
} from './engine-results.js';
export type { ErrorCode } from './errors/catalogue.js';
export { CulpritError, isCulpritError } from './errors/error.js';
export type { CrashObject } from './pipeline/crash-object/crash-shape.js';
export type { PlacedStack } from './pipeline/evidence/placed-frames.js';
export type { SanitiserRule } from './pipeline/sanitise/pattern-rule.js';
export type { SanitiserOptions } from './pipeline/sanitise/sanitise.js';
export { DEFAULT_POLICY } from './policy.js';
export type { Clock } from './ports/clock.js';
export type { Logger } from './ports/logger.js';
export type { RunQuery } from './ports/run-store.js';
export { silentLogger, systemClock } from './system.js';
