import type { RunError } from './run.js';

/** To whom a published run can be handed: the code host's coding agent, or the receivers of a host's webhooks. */
export const HAND_OFF_TARGETS = ['github', 'webhook'] as const;
/** One of `HAND_OFF_TARGETS`. */
export type HandOffTarget = (typeof HAND_OFF_TARGETS)[number];

/** A reviewer's decision to hand a published run to a target. */
export interface HandOff {
  readonly to: HandOffTarget;
  /** The reviewer. */
  readonly by: string;
  /** ISO 8601: when it was decided. */
  readonly at: string;
  /** The digest of the signed draft that was handed over. */
  readonly digest: string;
  /** `pending`: it is being done, or the process ended meanwhile. Repeating it is safe. */
  readonly state: 'pending' | 'done' | 'failed';
  readonly error: RunError | null;
}

/** Prefix of the history entries: `hand_off.github`, `hand_off.webhook`, `hand_off.done`, `hand_off.failed`. */
export const HANDED = 'hand_off.';
