import type { LiveMessage, RunSummary } from '../operations.js';

/** The states of the runs in a snapshot: those that are not closed. */
export const OPEN_STATES: readonly RunSummary['state'][] = [
  'staged_raw',
  'analyzing',
  'staged_draft',
  'publishing',
  'snoozed',
];

/** Interval of beats. */
export const BEAT_MS = 5_000;

/** The version of the messages. Core refuses readers that request another one. */
export const LIVE_VERSION = 1;

/** Close codes, besides 1001 (core is shutting down). */
export const LIVE_CLOSE = {
  /** Reconnect with `since`. */
  slow_reader: 4008,
  /** The provider is asked again about the session. Reconnect with `since`. */
  confirm: 4009,
  /** The session has ended. */
  signed_out: 4401,
  /** The storage is unavailable; reconnect. */
  storage: 4503,
} as const;

/** Any message that core sends on the live feed. */
export type { LiveMessage };
/** Sent on connect and when the sequence cannot continue. Replaces everything received before. */
export type SnapshotMessage = Extract<LiveMessage, { readonly type: 'snapshot' }>;
/** One change of one run. */
export type RunMessage = Extract<LiveMessage, { readonly type: 'run' }>;
/** Guard figures of every known edge. Not numbered; each message replaces the previous one. */
export type GuardMessage = Extract<LiveMessage, { readonly type: 'guard' }>;
/** The finished steps of an analysis that this core runs. Not numbered; each message replaces the previous one of its run. */
export type ProgressMessage = Extract<LiveMessage, { readonly type: 'progress' }>;
/** Sent every {@link BEAT_MS}, so that a reader can distinguish a quiet feed from a dead connection. */
export type BeatMessage = Extract<LiveMessage, { readonly type: 'beat' }>;
/** The latest guard figures of one edge. */
export type EdgeFigures = GuardMessage['guard'][number];
