import type { Door } from './event.js';
import { CLOSED_STATES, type RunState } from './run.js';

/** What a scope may store. A crash beyond it starts no run; crashes of existing runs are still counted. */
export interface Quota {
  /** Runs started within one clock hour (UTC). */
  readonly new_runs: number;
  /** Runs that are neither published nor rejected. */
  readonly open_runs: number;
  /** Bytes of the events of all stored runs, each rounded up to {@link STORED_BLOCK}. */
  readonly bytes: number;
}
/** The limits of a {@link Quota}. */
export const QUOTA_LIMITS = ['new_runs', 'open_runs', 'bytes'] as const satisfies readonly (keyof Quota)[];
/** One limit of a quota. */
export type QuotaLimit = (typeof QUOTA_LIMITS)[number];

/** What a quota applies to: one credential, one door of a project, one project. Narrowest first. */
export const QUOTA_SCOPES = ['key', 'door', 'project'] as const;
/** One of {@link QUOTA_SCOPES}. */
export type QuotaScope = (typeof QUOTA_SCOPES)[number];
/** One quota for each scope. */
export type Quotas = Readonly<Record<QuotaScope, Quota>>;

const GIB = 1024 ** 3;

/** Each scope has half of the next wider one, so a flood leaves room for the other keys and doors of its project. */
export const DEFAULT_QUOTAS: Quotas = {
  key: { new_runs: 1_000, open_runs: 25_000, bytes: GIB },
  door: { new_runs: 2_000, open_runs: 50_000, bytes: 2 * GIB },
  project: { new_runs: 4_000, open_runs: 100_000, bytes: 4 * GIB },
};

/** Whose quotas a run counts against: those of the sender that started it. */
export interface QuotaOwner {
  readonly project: string;
  readonly door: Door;
  /** Names the credential, without its secret; `null` if it is unknown. */
  readonly key: string | null;
}

/** The scopes of an owner. A run without a known key counts only against its door and project. */
export function scopesOfOwner({ project, door, key }: QuotaOwner): readonly QuotaSubject[] {
  return [
    ...(key === null ? [] : [{ scope: 'key', project, door, key } as const]),
    { scope: 'door', project, door, key: null },
    { scope: 'project', project, door: null, key: null },
  ];
}

/** One key, door or project. */
export interface QuotaSubject {
  readonly scope: QuotaScope;
  readonly project: string;
  /** `null` for a project. */
  readonly door: Door | null;
  /** `null` for a door and a project. */
  readonly key: string | null;
}

/** What a subject has used of its quota. */
export interface QuotaCounts {
  /** Runs started in the clock hour {@link QuotaCounts.hour}. */
  readonly new_runs: number;
  /** Hours since 1970. */
  readonly hour: number;
  readonly open_runs: number;
  readonly bytes: number;
  /** Crashes that started no run, since the storage was created. */
  readonly refused: number;
}
/** The counts of a subject that has stored nothing. */
export const NO_COUNTS: QuotaCounts = { new_runs: 0, hour: 0, open_runs: 0, bytes: 0, refused: 0 };

/** A subject and its counts. */
export interface QuotaUsage extends QuotaSubject {
  readonly counts: QuotaCounts;
}

/** A limit that a crash would have exceeded. */
export interface QuotaExcess {
  readonly scope: QuotaScope;
  readonly limit: QuotaLimit;
}

const HOUR_MS = 60 * 60_000;

/** The clock hour of a time in ms since 1970, in hours since 1970. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS);
}

/**
 * Adds to counts. Runs started in an earlier hour no longer count. An hour behind the stored one is that of a process
 * whose clock is slower: it counts in the stored hour.
 */
export function addCounts(counts: QuotaCounts, more: QuotaCounts): QuotaCounts {
  const behind = counts.hour === more.hour + 1;
  const hour = more.hour === 0 || behind ? counts.hour : more.hour;
  return {
    new_runs: (counts.hour === hour ? counts.new_runs : 0) + more.new_runs,
    hour,
    open_runs: counts.open_runs + more.open_runs,
    bytes: counts.bytes + more.bytes,
    refused: counts.refused + more.refused,
  };
}

/** The first limit that the counts exceed; `null` if they are within the quota. */
export function limitExceeded(counts: QuotaCounts, quota: Quota): QuotaLimit | null {
  return QUOTA_LIMITS.find((limit) => counts[limit] > quota[limit]) ?? null;
}

/** What a stored run with an event of this size counts as. */
export function keptCounts(state: RunState, eventBytes: number): QuotaCounts {
  return { ...NO_COUNTS, open_runs: CLOSED_STATES.includes(state) ? 0 : 1, bytes: storedBytes(eventBytes) };
}

/** What to add to the counts of a run's owner when the run changes. */
export function differenceOf(after: QuotaCounts, before: QuotaCounts): QuotaCounts {
  return { ...NO_COUNTS, open_runs: after.open_runs - before.open_runs, bytes: after.bytes - before.bytes };
}

/** What starting a run adds beside what it stores. */
export function startedCounts(now: string): QuotaCounts {
  return { ...NO_COUNTS, new_runs: 1, hour: hourOf(Date.parse(now)) };
}

/** What a refused crash adds. */
export const REFUSED_COUNTS: QuotaCounts = { ...NO_COUNTS, refused: 1 };

/** The narrowest quota that a new run with an event of this size would exceed; `null` if it may start. */
export function excessOf(
  owner: QuotaOwner,
  { now, eventBytes }: { readonly now: string; readonly eventBytes: number },
  quotas: Quotas,
  countsOf: (subject: QuotaSubject) => QuotaCounts,
): QuotaExcess | null {
  const more = addCounts(keptCounts('staged_raw', eventBytes), startedCounts(now));
  for (const subject of scopesOfOwner(owner)) {
    const limit = limitExceeded(addCounts(countsOf(subject), more), quotas[subject.scope]);
    if (limit !== null) return { scope: subject.scope, limit };
  }
  return null;
}

/** A stored event uses at least this much with its indexes and history. */
const STORED_BLOCK = 16 * 1024;

/** The bytes that a stored event of this size counts as. */
function storedBytes(bytes: number): number {
  return Math.ceil(bytes / STORED_BLOCK) * STORED_BLOCK;
}

/** For people: which quota refused a crash. */
export function excessDetail({ scope, limit }: QuotaExcess): string {
  return `The crash would start a new run, but the quota of its ${scope} is used up (${limit}).`;
}
