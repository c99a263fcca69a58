import * as v from 'valibot';
import type { Facet, OccurrenceRow } from './occurrence-row.js';
import { about, type Doc, named } from './schema.js';
import { affectedUsersSchema, DIGEST_CHARS, MAX_USERS, type StoredUsers, userDigest } from './user-count.js';

/** Bounds of the statistics of one run. */
const STATISTICS_LIMITS = {
  /** Days of hourly counts. */
  days: 30,
  releases: 50,
  users: MAX_USERS,
  tags: 40,
  /** Values of each tag. A new one replaces the rarest, which is then counted as other. */
  values: 12,
} as const;

const tagSchema = v.object({
  name: v.string(),
  occurrences: about(v.number(), 'With this tag.'),
  values: about(
    v.array(v.object({ value: v.string(), occurrences: v.number() })),
    'The most frequent values, most frequent first.',
  ),
  other: about(v.number(), 'Occurrences with other values.'),
});
/** The values of one tag. */
export interface TagCount extends Doc<typeof tagSchema> {}

export const statisticsSchema = named(
  'Statistics',
  'What the occurrences of a run have in common.',
  v.object({
    occurrences: about(
      v.number(),
      'Occurrences counted here. Those that older versions recorded are missing.',
    ),
    hours: about(
      v.array(v.object({ from: v.string(), occurrences: v.number() })),
      `Crashes by hour of receipt in the last ${STATISTICS_LIMITS.days} days, oldest first. Hours without a crash are omitted.`,
    ),
    releases: about(
      v.array(
        v.object({
          name: v.string(),
          first_seen: v.string(),
          last_seen: v.string(),
          occurrences: v.number(),
        }),
      ),
      `By first receipt, at most ${STATISTICS_LIMITS.releases}. Of trusted crashes if there are any.`,
    ),
    users: about(
      affectedUsersSchema,
      `Distinct users that are not redacted; \`more\` if they are over ${STATISTICS_LIMITS.users}.`,
    ),
    tags: about(
      v.array(tagSchema),
      `At most ${STATISTICS_LIMITS.tags}, each with its ${STATISTICS_LIMITS.values} most frequent values.`,
    ),
  }),
);
/** What the occurrences of a run have in common, and when they happened. */
export interface RunStatistics extends Doc<typeof statisticsSchema> {}

/** The statistics as they are stored. Times in ms since 1970, hours since 1970. */
export interface StoredStatistics extends StoredUsers {
  readonly occurrences: number;
  /** Hour and count, alternating, oldest first. */
  readonly hours: readonly number[];
  readonly releases: readonly (readonly [name: string, first: number, last: number, count: number])[];
  readonly tags: readonly (readonly [
    name: string,
    count: number,
    values: readonly (readonly [string, number])[],
  ])[];
}

/** The statistics of a run whose occurrences are not known. */
export const NO_STATISTICS: StoredStatistics = {
  occurrences: 0,
  hours: [],
  releases: [],
  users: '',
  more_users: false,
  tags: [],
  trusted: false,
};

const HOUR_MS = 60 * 60_000;

/** Mutable, while rows are counted. */
interface Counting {
  readonly hours: Map<number, number>;
  releases: Map<string, { first: number; last: number; count: number }>;
  users: Set<string>;
  more_users: boolean;
  tags: Map<string, { count: number; readonly values: Map<string, number> }>;
  trusted: boolean;
}

/** The statistics with more occurrences. An untrusted one changes only the hours once a trusted one was counted. Pure. */
export function countRows(stored: StoredStatistics, rows: readonly OccurrenceRow[]): StoredStatistics {
  const counting = begin(stored);
  for (const row of rows) countRow(counting, row);
  return end(counting, stored.occurrences + rows.length);
}

function countRow(counting: Counting, row: OccurrenceRow): void {
  const [at, , release, environment, , trust, user, facets] = row;
  const hour = Math.floor(at / HOUR_MS);
  counting.hours.set(hour, (counting.hours.get(hour) ?? 0) + 1);
  if (trust === 'trusted' && !counting.trusted) {
    counting.trusted = true;
    counting.releases = new Map();
    counting.users = new Set();
    counting.more_users = false;
    counting.tags = new Map();
  }
  if (trust === 'untrusted' && counting.trusted) return;
  if (release !== null) countRelease(counting, release, at);
  if (user !== null) countUser(counting, user);
  if (release !== null) countFacet(counting, ['release', release]);
  if (environment !== null) countFacet(counting, ['environment', environment]);
  if (user !== null) countFacet(counting, ['user', user]);
  for (const facet of facets) countFacet(counting, facet);
}

/** Beyond the limit, the one that crashed longest ago is forgotten, but never the first. */
function countRelease({ releases }: Counting, name: string, at: number): void {
  const known = releases.get(name);
  if (known !== undefined) {
    known.first = Math.min(known.first, at);
    known.last = Math.max(known.last, at);
    known.count += 1;
    return;
  }
  if (releases.size === STATISTICS_LIMITS.releases) {
    const [, ...others] = [...releases].sort(([, a], [, b]) => a.first - b.first);
    const oldest = others.sort(([, a], [, b]) => a.last - b.last)[0];
    if (oldest !== undefined) releases.delete(oldest[0]);
  }
  releases.set(name, { first: at, last: at, count: 1 });
}

function countUser(counting: Counting, user: string): void {
  const digest = userDigest(user);
  if (counting.users.has(digest)) return;
  if (counting.users.size < STATISTICS_LIMITS.users) counting.users.add(digest);
  else counting.more_users = true;
}

function countFacet({ tags }: Counting, [name, value]: Facet): void {
  const known = tags.get(name);
  if (known === undefined) {
    if (tags.size < STATISTICS_LIMITS.tags) tags.set(name, { count: 1, values: new Map([[value, 1]]) });
    return;
  }
  const { values } = known;
  known.count += 1;
  const count = values.get(value);
  if (count === undefined && values.size === STATISTICS_LIMITS.values) values.delete(rarest(values));
  values.set(value, (count ?? 0) + 1);
}

/** The oldest of those with the lowest count. */
function rarest(values: ReadonlyMap<string, number>): string {
  let [found, least] = ['', Number.POSITIVE_INFINITY];
  for (const [value, count] of values) if (count < least) [found, least] = [value, count];
  return found;
}

function begin({ hours, releases, users, more_users, tags, trusted }: StoredStatistics): Counting {
  return {
    hours: new Map(pairs(hours)),
    releases: new Map(releases.map(([name, first, last, count]) => [name, { first, last, count }])),
    users: new Set(users.match(DIGESTS) ?? []),
    more_users,
    tags: new Map(tags.map(([name, count, values]) => [name, { count, values: new Map(values) }])),
    trusted,
  };
}
const DIGESTS = new RegExp(`.{${DIGEST_CHARS}}`, 'g');

function end(
  { hours, releases, users, more_users, tags, trusted }: Counting,
  occurrences: number,
): StoredStatistics {
  const sorted = [...hours].sort(([a], [b]) => a - b);
  const after = (sorted.at(-1)?.[0] ?? 0) - STATISTICS_LIMITS.days * 24;
  return {
    occurrences,
    hours: sorted.filter(([hour]) => hour > after).flat(),
    releases: [...releases].map(([name, { first, last, count }]) => [name, first, last, count]),
    users: [...users].join(''),
    more_users,
    tags: [...tags].map(([name, { count, values }]) => [name, count, [...values]]),
    trusted,
  };
}

function pairs(flat: readonly number[]): [number, number][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? 0, flat[2 * at + 1] ?? 0]);
}

/** The stored statistics for people. `now` in ms since 1970. */
export function readStatistics(stored: StoredStatistics, now: number): RunStatistics {
  const after = Math.floor(now / HOUR_MS) - STATISTICS_LIMITS.days * 24;
  return {
    occurrences: stored.occurrences,
    hours: pairs(stored.hours)
      .filter(([hour]) => hour > after)
      .map(([hour, occurrences]) => ({ from: new Date(hour * HOUR_MS).toISOString(), occurrences })),
    releases: stored.releases
      .map(([name, first, last, occurrences]) => ({
        name,
        first_seen: new Date(first).toISOString(),
        last_seen: new Date(last).toISOString(),
        occurrences,
      }))
      .sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1)),
    users: { count: stored.users.length / DIGEST_CHARS, more: stored.more_users },
    tags: stored.tags
      .map(([name, occurrences, values]) => {
        const known = values.map(([value, count]) => ({ value, occurrences: count }));
        known.sort((a, b) => b.occurrences - a.occurrences);
        const other = occurrences - known.reduce((sum, one) => sum + one.occurrences, 0);
        return { name, occurrences, values: known, other };
      })
      .sort((a, b) => b.occurrences - a.occurrences),
  };
}

/** The statistics without a person: the user with this id is no longer counted. Texts are erased separately. */
export function withoutUser(stored: StoredStatistics, user: string): StoredStatistics {
  const users = (stored.users.match(DIGESTS) ?? []).filter((digest) => digest !== userDigest(user));
  return { ...stored, users: users.join('') };
}
