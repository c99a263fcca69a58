import * as v from 'valibot';
import { step } from './entries.js';
import type { Event } from './event.js';
import type { NewHistoryEntry } from './history.js';
import type { Run } from './run.js';
import { about, type Doc } from './schema.js';

const untilSchema = v.variant('kind', [
  v.object({ kind: v.literal('time'), at: v.string() }),
  v.object({ kind: v.literal('crashes'), more: v.number() }),
  v.object({ kind: v.literal('release') }),
]);
/** What a reviewer waits for: a time (ISO 8601, UTC), a number of further crashes, or a crash in a release that is new to the run. */
export type SnoozeUntil = Doc<typeof untilSchema>;

/** Limits of a snooze. */
export const SNOOZE_LIMITS = {
  /** The latest time, from now: well before retention deletes a snoozed run. */
  ms: 90 * 24 * 60 * 60_000,
  crashes: 1_000_000,
} as const;

export const snoozeSchema = v.object({
  from: about(v.picklist(['staged_raw', 'staged_draft']), 'The state to which the run returns.'),
  by: v.string(),
  at: about(v.string(), 'ISO 8601.'),
  until: untilSchema,
  left: about(v.optional(v.number()), 'For `crashes`: how many are left.'),
});
/** A run in `snoozed`: who put it there, and what ends it. */
export interface Snooze extends Doc<typeof snoozeSchema> {}

/** What can end a snooze, besides a reviewer. */
const WAKE_REASONS = ['time', 'crashes', 'release', 'trusted_crash'] as const;

export const wokenSchema = v.object({
  at: about(v.string(), 'ISO 8601.'),
  why: v.picklist(WAKE_REASONS),
  crashes: about(v.optional(v.number()), 'For `crashes`: how many the reviewer waited for.'),
  release: about(v.optional(v.string()), 'For `release`: the new release.'),
});
/** Why the run is back although nobody decided it. */
export interface Woken extends Doc<typeof wokenSchema> {}

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
  const entry = step(snooze.from === 'staged_raw' ? 'gate1.wake' : 'gate2.wake', at, {
    from: state,
    to: snooze.from,
    detail: {
      why,
      ...(crashes === undefined ? {} : { crashes }),
      ...(release === undefined ? {} : { release }),
    },
  });
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
