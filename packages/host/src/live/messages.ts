import type { JsonObject, RunSummary } from '@culprit/core';

/** The version of the messages below. A reader that asks for another one is refused. */
export const LIVE_VERSION = 1;

/** Why core closes a live feed, beside 1001 (core is closing). */
export const LIVE_CLOSE = {
  /** Reconnect with `since`. */
  slow_reader: 4008,
  /** The session has ended or was ended. */
  signed_out: 4401,
  /** The storage could not be read; reconnect. */
  storage: 4503,
} as const;

/** The latest guard figures of one edge. */
export interface EdgeFigures {
  readonly edge: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly figures: JsonObject;
}

/** On connect, and whenever the numbers cannot be continued: forget what was known. */
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
/** One change of one run; its number is the last one's plus one. */
export interface RunMessage {
  readonly type: 'run';
  readonly sequence: number;
  readonly run: RunSummary;
}
/** Guard figures of every edge heard of. Not numbered: only the latest counts. */
export interface GuardMessage {
  readonly type: 'guard';
  readonly guard: readonly EdgeFigures[];
}
export type LiveMessage = SnapshotMessage | RunMessage | GuardMessage;
