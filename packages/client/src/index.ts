export { ApiError, unreachable } from './api-error.js';
export type { Answer, Call, Input, OperationId } from './call.js';
export { type Client, createClient } from './client.js';
export type { HistoryCheck } from './methods/audit.js';
export type { Erasure } from './methods/erasures.js';
export type { Health, SavedView } from './methods/installation.js';
export type { OccurrencesQuery, RunsQuery } from './methods/runs.js';
export {
  type Deploy,
  type Digest,
  type Draft,
  type DraftDifference,
  type Edge,
  type EdgeCommand,
  type EdgeHistory,
  type Event,
  type Evidence,
  type HistoryEntry,
  type IssueEffect,
  type JsonObject,
  type JsonValue,
  type ListedRelease,
  type ModelStatus,
  type Occurrence,
  type OccurrencePage,
  OPERATIONS,
  type Operations,
  type PlacedStack,
  type Problem,
  type Proof,
  type Quota,
  type Release,
  type ReleaseCommit,
  type Run,
  type RunActivity,
  type RunPage,
  type RunSummary,
  type Session,
  type Statistics,
  type Story,
  type Suspect,
  type Token,
  type Webhook,
} from './operations.js';
export type { CallOptions, ClientOptions, Request } from './transport.js';
