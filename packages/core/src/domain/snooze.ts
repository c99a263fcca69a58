import type { Event } from './event.js';
import type { NewHistoryEntry } from './history.js';
import type { Run, RunState } from './run.js';

/** What a reviewer waits for: a time (ISO 8601, UTC), a number of further crashes, or a crash in a release that is new to the run. */
export type SnoozeUntil =
  | { readonly kind: 'time'; readonly at: string }
  | { readonly kind: 'crashes'; readonly more: number }
  | { readonly kind: 'release' };

/** Limits of a snooze. */
export const SNOOZE_LIMITS = {
  /** The latest time, from now: well before retention deletes a snoozed run. */
  ms: 90 * 24 * 60 * 60_000,
  crashes: 1_000_000,
} as const;

/** A run in `snoozed`: who put it there, and what ends it. */
export interface Snooze {
  /** The state to which the run returns. */
  readonly from: SnoozedFrom;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly until: SnoozeUntil;
  /** For `crashes`: how many are left. */
  readonly left?: number | undefined;
}
/** States that can be snoozed. */
export type SnoozedFrom = Extract<RunState, 'staged_raw' | 'staged_draft'>;

/** What can end a snooze, besides a reviewer. */
export const WAKE_REASONS = ['time', 'crashes', 'release', 'trusted_crash'] as const;
/** Why a snooze ended by itself; one of `WAKE_REASONS`. */
export type WakeReason = (typeof WAKE_REASONS)[number];

/** Why the run is back although nobody decided it. */
export interface Woken {
  /** ISO 8601. */
  readonly at: string;
  readonly why: WakeReason;
  /** For `crashes`: how many the reviewer waited for. */
  readonly crashes?: number | undefined;
  /** For `release`: the new release. */
  readonly release?: string | undefined;
}

/** Why a run woke, as a sentence. `release` is text from outside. */
export function wokenText({ why, crashes = 0, release = '' }: Omit<Woken, 'at'>): string {
  switch (why) {
    case 'time':
      return 'The snooze is over.';
    case 'crashes':
      return crashes === 1 ? 'It crashed again.' : `It crashed ${crashes} more times.`;
    case 'release':
      return `It crashed in the new release ${release}.`;
    case 'trusted_crash':
      return 'The first trusted crash was received.';
  }
}

/** What a snoozed run waits for, after "Snoozed": `until 2026-11-23 08:00 UTC`. `time` formats ISO 8601. */
export function snoozeText(
  { until, left }: Pick<Snooze, 'until' | 'left'>,
  time: (iso: string) => string = (iso) => `${iso.slice(0, 16).replace('T', ' ')} UTC`,
): string {
  switch (until.kind) {
    case 'time':
      return `until ${time(until.at)}`;
    case 'crashes': {
      const crashes = left ?? until.more;
      return crashes === 1 ? 'until the next crash' : `until ${crashes} more crashes`;
    }
    case 'release':
      return 'until the next release';
  }
}

/** The run's change when its snooze ends by itself, and the history entry. `null` if it is not snoozed. */
export function wake(
  { state, snooze }: Pick<Run, 'state' | 'snooze'>,
  woken: Woken,
): { readonly patch: Pick<Run, 'state' | 'snooze' | 'woken'>; readonly entry: NewHistoryEntry } | null {
  if (state !== 'snoozed' || !snooze) return null;
  const { at, why, crashes, release } = woken;
  const entry: NewHistoryEntry = {
    at,
    kind: 'step',
    name: snooze.from === 'staged_raw' ? 'gate1.wake' : 'gate2.wake',
    by: null,
    via: 'engine',
    from: state,
    to: snooze.from,
    digest: null,
    ms: null,
    error: null,
    detail: {
      why,
      ...(crashes === undefined ? {} : { crashes }),
      ...(release === undefined ? {} : { release }),
    },
  };
  return { patch: { state: snooze.from, snooze: null, woken }, entry };
}

/**
 * What one more crash does to a snooze: it ends it, or it is one of the crashes that are waited for. `firstTrusted`: the run
 * has only untrusted crashes so far. Apply it only to crashes that the run shows: nobody with a public key may end the
 * snooze of a run with trusted crashes.
 */
export function countInSnooze(
  run: Pick<Run, 'snooze' | 'releases'>,
  { release }: Pick<Event, 'release'>,
  firstTrusted: boolean,
): Omit<Woken, 'at'> | Snooze | null {
  const { snooze } = run;
  if (!snooze) return null;
  if (firstTrusted) return { why: 'trusted_crash' };
  const { until } = snooze;
  switch (until.kind) {
    case 'time':
      return null;
    case 'crashes': {
      const left = (snooze.left ?? until.more) - 1;
      return left > 0 ? { ...snooze, left } : { why: 'crashes', crashes: until.more };
    }
    case 'release':
      return release === null || run.releases.includes(release) ? null : { why: 'release', release };
  }
}
