import * as v from 'valibot';
import { DOORS, type Event } from './event.js';
import type { Run } from './run.js';
import { about, type Doc, text, texts } from './schema.js';
import { TRUSTS, type Trust, trustOf } from './trust.js';

export const sourceSchema = v.object({
  door: v.picklist(DOORS),
  trust: v.picklist(TRUSTS),
  occurrences: v.number(),
  trackers: about(
    v.optional(texts),
    'Ids of the connectors that received them, at most five. Absent in older versions.',
  ),
  first_seen: v.string(),
  last_seen: v.string(),
  event_id: about(text, 'Of its latest event; `null` if only older versions counted it.'),
});
/** The occurrences of a run that came through one door with one trust. Times are those of receipt, ISO 8601, UTC. */
export interface Source extends Doc<typeof sourceSchema> {}

const MAX_TRACKERS = 5;

/** The members of a run that describe how its occurrences were received; a summary has them, too. */
export type SourcedRun = Pick<Run, 'sources' | 'doors' | 'occurrences' | 'first_seen' | 'last_seen'>;

/**
 * How a run's occurrences were received, in the order of first receipt. Older versions stored only the doors: a run with one
 * door has all its occurrences there. With several doors the counts by door are unknown, and each is 0.
 */
export function sourcesOf({
  sources,
  doors,
  occurrences,
  first_seen,
  last_seen,
}: SourcedRun): readonly Source[] {
  if (sources !== undefined) return sources;
  return doors.map((door) => ({
    door,
    trust: trustOf({ door }),
    occurrences: doors.length === 1 ? occurrences : 0,
    first_seen,
    last_seen,
    event_id: null,
  }));
}

/** The sources with one more occurrence, received at `at`. */
export function countSource(sources: readonly Source[], event: Event, at: string): readonly Source[] {
  const trust = trustOf(event);
  const { door, event_id } = event;
  const known = sources.find((source) => source.door === door && source.trust === trust);
  if (known === undefined) {
    const trackers = withTracker([], event);
    return [
      ...sources,
      { door, trust, occurrences: 1, ...trackers, first_seen: at, last_seen: at, event_id },
    ];
  }
  const counted: Source = {
    ...known,
    occurrences: known.occurrences + 1,
    ...withTracker(known.trackers ?? [], event),
    first_seen: earliest(known.first_seen, at),
    last_seen: lastOf(known.last_seen, at),
    event_id,
  };
  return sources.map((source) => (source === known ? counted : source));
}

function withTracker(trackers: readonly string[], { tracker }: Event): Pick<Source, 'trackers'> {
  if (tracker === undefined) return {};
  if (trackers.includes(tracker) || trackers.length === MAX_TRACKERS) return { trackers };
  return { trackers: [...trackers, tracker] };
}

/** The sources of two runs together, in the order of the first run. */
export function joinSources(one: readonly Source[], other: readonly Source[]): readonly Source[] {
  const rest = [...other];
  const joined = one.map((source) => {
    const at = rest.findIndex(({ door, trust }) => door === source.door && trust === source.trust);
    const [same] = at === -1 ? [] : rest.splice(at, 1);
    return same === undefined ? source : joinSource(source, same);
  });
  return [...joined, ...rest];
}

function joinSource(one: Source, other: Source): Source {
  const trackers = [...new Set([...(one.trackers ?? []), ...(other.trackers ?? [])])];
  const latest = one.last_seen < other.last_seen ? other : one;
  return {
    ...one,
    occurrences: one.occurrences + other.occurrences,
    ...(trackers.length === 0 ? {} : { trackers: trackers.slice(0, MAX_TRACKERS) }),
    first_seen: earliest(one.first_seen, other.first_seen),
    last_seen: latest.last_seen,
    event_id: latest.event_id,
  };
}

/** How many of a run's occurrences are trusted. */
export interface TrustMix {
  readonly trusted: number;
  readonly untrusted: number;
  /** Counted by an older version that did not store the door of each. */
  readonly unknown: number;
  /** `mixed`: at least one trusted and one untrusted occurrence. */
  readonly kind: Trust | 'mixed';
}

/** Counts a run's occurrences by trust. */
export function trustMix(run: SourcedRun): TrustMix {
  const sources = sourcesOf(run);
  const count = (trust: Trust) =>
    sources.reduce((sum, source) => sum + (source.trust === trust ? source.occurrences : 0), 0);
  const [trusted, untrusted] = [count('trusted'), count('untrusted')];
  const trusts = new Set(sources.map(({ trust }) => trust));
  const kind = trusts.size > 1 ? 'mixed' : trusts.has('untrusted') ? 'untrusted' : 'trusted';
  return { trusted, untrusted, unknown: Math.max(0, run.occurrences - trusted - untrusted), kind };
}

/** Whether the draft is about an untrusted crash although a trusted one has come since: it should be made again. */
export function draftIsOutdated(run: SourcedRun & Pick<Run, 'draft'>): boolean {
  return run.draft?.trust === 'untrusted' && sourcesOf(run).some(({ trust }) => trust === 'trusted');
}

/** ISO 8601 times with the same number of digits compare as text. */
export const earliest = (a: string, b: string): string => (a < b ? a : b);
export const lastOf = (a: string, b: string): string => (a > b ? a : b);
