import type { Event } from './event.js';

/** A stored event beside the one that the run shows: the number of its occurrence, and its bytes as JSON. */
export type KeptEvent = readonly [number: number, bytes: number];

/** Bounds of the stored events of a run, beside the one that it shows. */
const KEPT_EVENTS = { most: 12, bytes: 1024 * 1024 } as const;

const SPACING = 4;

/**
 * Whether the event of an occurrence stays stored after a later one is shown: the first of the run, the first of each
 * release, and of the others ever fewer: the next one is that with four times the number.
 */
export function isKeptEvent(
  number: number,
  { release }: Pick<Event, 'release'>,
  kept: readonly KeptEvent[],
  releases: readonly string[],
): boolean {
  if (release !== null && releases.length > 0 && !releases.includes(release)) return true;
  return number >= SPACING * (kept.at(-1)?.[0] ?? 1);
}

/** The events with one more, and those to delete: beyond the bounds, the oldest go, but the first only for its size. */
export function keepEvent(
  kept: readonly KeptEvent[],
  added: KeptEvent,
): { readonly kept: readonly KeptEvent[]; readonly dropped: readonly KeptEvent[] } {
  const [first, ...others] = [...kept, added];
  const dropped: KeptEvent[] = [];
  const bytes = () => [first, ...others].reduce((sum, one) => sum + (one?.[1] ?? 0), 0);
  while (others.length > 0 && (others.length >= KEPT_EVENTS.most || bytes() > KEPT_EVENTS.bytes))
    dropped.push(...others.splice(0, 1));
  return { kept: first === undefined ? [] : [first, ...others], dropped };
}
