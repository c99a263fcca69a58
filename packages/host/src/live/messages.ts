import type { AnalysisStep } from '@culprit/core';
import { CLOSED_STATES, type JsonObject, RUN_STATES, type RunSummary } from '@culprit/core/model';

/** The states of the runs in a snapshot. */
export const OPEN_STATES = RUN_STATES.filter((state) => !CLOSED_STATES.includes(state));

/** Interval of beats. */
export const BEAT_MS = 5_000;

/** The version of the messages below. Core refuses readers that request another one. */
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

/** The latest guard figures of one edge. */
export interface EdgeFigures {
  readonly edge: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly figures: JsonObject;
}

/** Sent on connect and when the sequence cannot continue. Replaces everything received before. */
export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly version: typeof LIVE_VERSION;
  readonly epoch: string;
  readonly sequence: number;
  readonly runs: readonly RunSummary[];
  readonly more: boolean;
  readonly guard: readonly EdgeFigures[];
  readonly reset: boolean;
}
/** One change of one run. */
export interface RunMessage {
  readonly type: 'run';
  readonly sequence: number;
  readonly run: RunSummary;
}
/** Guard figures of every known edge. Not numbered; each message replaces the previous one. */
export interface GuardMessage {
  readonly type: 'guard';
  readonly guard: readonly EdgeFigures[];
}
/** The finished steps of an analysis that this core runs. Not numbered; each message replaces the previous one of its run. */
export interface ProgressMessage {
  readonly type: 'progress';
  readonly run_id: string;
  /** First step first; as in the history, where they are once the analysis ends. */
  readonly steps: readonly AnalysisStep[];
}
/** Sent every {@link BEAT_MS}, so that a reader can distinguish a quiet feed from a dead connection. */
export interface BeatMessage {
  readonly type: 'beat';
}
/** Any message the server sends on the live feed. */
export type LiveMessage = SnapshotMessage | RunMessage | GuardMessage | ProgressMessage | BeatMessage;
