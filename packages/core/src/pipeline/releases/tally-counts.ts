import type { ReleaseCounts } from '../../domain/release.js';

/** Releases of one project that are counted. Beyond it the ones with the fewest crashes of the last day go, recorded ones last. */
export const MAX_COUNTED = 100;
const BUCKET_MS = 10 * 60_000;
const BUCKETS_AN_HOUR = 6;
const BUCKETS_A_DAY = 144;
/** A name from outside is a key of what is stored. */
const LONGEST_NAME = 200;

/** Start of ten minutes since 1970 and crashes, alternating, oldest first. */
type Buckets = readonly number[];
/** As it is stored. Times in ms since 1970. */
interface StoredRow {
  readonly first: number;
  readonly last: number;
  readonly crashes: number;
  readonly new_runs: number;
  readonly regressed: number;
  readonly buckets: Buckets;
}
/** What is stored of one project. */
export interface StoredTally {
  /** All crashes, with and without a release. */
  readonly all: Buckets;
  readonly releases: Readonly<Record<string, StoredRow>>;
}
export const NO_TALLY: StoredTally = { all: [], releases: {} };

/** What one engine has counted since it stored something last. Mutable. */
export interface Counted {
  readonly all: Map<number, number>;
  readonly releases: Map<string, CountedRow>;
}
interface CountedRow {
  first: number;
  last: number;
  crashes: number;
  new_runs: number;
  regressed: number;
  readonly buckets: Map<number, number>;
}

export const nothingCounted = (): Counted => ({ all: new Map(), releases: new Map() });

/** Counts a crash. `at`: ms since 1970, of receipt. */
export function countCrash(counted: Counted, release: string | null, at: number): void {
  const bucket = Math.floor(at / BUCKET_MS);
  add(counted.all, bucket);
  if (release === null) return;
  const row = rowOf(counted, release, at);
  row.crashes += 1;
  row.first = Math.min(row.first, at);
  row.last = Math.max(row.last, at);
  add(row.buckets, bucket);
}

/** Counts a run that started with a crash of the release. */
export function countRun(counted: Counted, release: string, at: number, regressed: boolean): void {
  const row = rowOf(counted, release, at);
  if (regressed) row.regressed += 1;
  else row.new_runs += 1;
}

function rowOf({ releases }: Counted, release: string, at: number): CountedRow {
  const name = release.slice(0, LONGEST_NAME);
  const known = releases.get(name);
  if (known !== undefined) return known;
  const row = { first: at, last: at, crashes: 0, new_runs: 0, regressed: 0, buckets: new Map() };
  // One flush stores no more either.
  if (releases.size < 2 * MAX_COUNTED) releases.set(name, row);
  return row;
}

function add(buckets: Map<number, number>, bucket: number, count = 1): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
}

/** The stored counts with what was counted since. `recorded`: versions that are kept if there are too many. Pure. */
export function merged(
  stored: StoredTally,
  counted: Counted,
  now: number,
  recorded: ReadonlySet<string>,
): StoredTally {
  const oldest = Math.floor(now / BUCKET_MS) - BUCKETS_A_DAY;
  const rows = new Map(Object.entries(stored.releases));
  for (const [name, row] of counted.releases) {
    const before = rows.get(name);
    rows.set(name, {
      first: Math.min(before?.first ?? row.first, row.first),
      last: Math.max(before?.last ?? row.last, row.last),
      crashes: (before?.crashes ?? 0) + row.crashes,
      new_runs: (before?.new_runs ?? 0) + row.new_runs,
      regressed: (before?.regressed ?? 0) + row.regressed,
      buckets: joined(before?.buckets ?? [], row.buckets, oldest),
    });
  }
  const rank = ([name, row]: readonly [string, StoredRow]) =>
    [recorded.has(name) ? 1 : 0, sumFrom(row.buckets, oldest), row.crashes, row.last] as const;
  const kept = [...rows]
    .map((entry) => ({ entry, rank: rank(entry) }))
    .sort((a, b) => b.rank.map((value, at) => value - (a.rank[at] ?? 0)).find((one) => one !== 0) ?? 0)
    .slice(0, MAX_COUNTED)
    .map(({ entry }) => entry);
  return { all: joined(stored.all, counted.all, oldest), releases: Object.fromEntries(kept) };
}

function joined(before: Buckets, more: ReadonlyMap<number, number>, oldest: number): Buckets {
  const buckets = new Map(more);
  for (let at = 0; at + 1 < before.length; at += 2) add(buckets, before[at] ?? 0, before[at + 1]);
  return [...buckets]
    .filter(([bucket]) => bucket > oldest)
    .sort(([a], [b]) => a - b)
    .flat();
}

function sumFrom(buckets: Buckets, oldest: number): number {
  let sum = 0;
  for (let at = 0; at + 1 < buckets.length; at += 2)
    if ((buckets[at] ?? 0) > oldest) sum += buckets[at + 1] ?? 0;
  return sum;
}

/** By the latest crash, newest first. */
export function countsOf({ all, releases }: StoredTally, now: number): readonly ReleaseCounts[] {
  const current = Math.floor(now / BUCKET_MS);
  const share = (buckets: Buckets, back: number) => {
    const whole = sumFrom(all, current - back);
    return whole === 0 ? null : Math.min(1, sumFrom(buckets, current - back) / whole);
  };
  return Object.entries(releases)
    .sort(([, a], [, b]) => b.last - a.last)
    .map(([version, row]) => ({
      version,
      first_crash_at: new Date(row.first).toISOString(),
      last_crash_at: new Date(row.last).toISOString(),
      crashes: row.crashes,
      new_runs: row.new_runs,
      regressed_runs: row.regressed,
      hour_share: share(row.buckets, BUCKETS_AN_HOUR),
      day_share: share(row.buckets, BUCKETS_A_DAY),
    }));
}
