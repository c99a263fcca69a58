import * as v from 'valibot';
import { DOORS } from './event.js';
import type { Run } from './run.js';
import { about, type Doc, text, texts } from './schema.js';
import { earliest, joinSources, lastOf, sourceSchema, sourcesOf } from './source.js';

/** Maximum number of releases and of environments on a run; the latest are retained. */
const REMEMBERED = 20;

/** What a run has counted. Times are those of receipt, ISO 8601, UTC. */
export const counted = {
  occurrences: v.number(),
  first_seen: about(v.string(), 'Receipt of the first crash; of the first trusted one if there is any.'),
  last_seen: about(v.string(), 'Receipt of the latest crash; of the latest trusted one if there is any.'),
  first_crash_at: about(
    v.optional(v.string()),
    'When the first crash happened, by a trusted sender’s clock or else by its receipt.',
  ),
  releases: texts,
  environments: texts,
  doors: v.array(v.picklist(DOORS)),
  sources: about(
    v.optional(v.array(sourceSchema)),
    'How the crashes were received. Absent for runs of older versions.',
  ),
};
/** What a run has counted. */
export type RunCounts = Pick<Run, keyof typeof counted>;

export const memberSchema = v.object({
  run_id: v.string(),
  fingerprint: about(v.string(), 'The hash of its fingerprint.'),
  generation: v.number(),
  into: about(text, 'The run that it was merged into; `null` for the run that has the members.'),
  ...counted,
});
/** A run's share of the run that it was merged into: the crashes with its fingerprint, before the merge and since. */
export interface RunMember extends Doc<typeof memberSchema> {}

/** The run itself, then the runs merged into it. */
export function membersOf(run: Run): readonly RunMember[] {
  return run.members ?? [memberOf(run, null)];
}

/** The hashes of the fingerprints whose crashes the run counts. */
export function hashesOf({ fingerprint, members = [] }: Pick<Run, 'fingerprint' | 'members'>): Set<string> {
  return new Set([fingerprint.hash, ...members.map((one) => one.fingerprint)]);
}

function memberOf(run: Run, into: string | null): RunMember {
  const { run_id, generation } = run;
  return { run_id, fingerprint: run.fingerprint.hash, generation, into, ...countsOf(run) };
}

/** What a run, or its share of another, has counted. */
export function countsOf(run: RunCounts): RunCounts {
  const { occurrences, first_seen, last_seen, first_crash_at, releases, environments, doors } = run;
  return {
    ...{ occurrences, first_seen, last_seen, releases, environments, doors },
    ...(first_crash_at === undefined ? {} : { first_crash_at }),
    sources: sourcesOf(run),
  };
}

/** Whether a trusted door has delivered one of the crashes. */
export function hasTrusted(run: RunCounts): boolean {
  return sourcesOf(run).some(({ trust }) => trust === 'trusted');
}

/**
 * The run with the counts of its members together. An untrusted member adds its crashes and their sources to a run with
 * trusted ones, and changes nothing else.
 */
export function withMembers(run: Run, members: readonly RunMember[]): Run {
  const [own] = members;
  if (own === undefined) throw new Error('a run has at least itself as a member');
  if (members.length === 1) return { ...run, ...countsOf(own), members: undefined };
  const heard = hasTrusted(own) ? members.filter(hasTrusted) : members;
  const byTime = [...heard].sort((a, b) => (a.last_seen < b.last_seen ? -1 : 1));
  return {
    ...run,
    occurrences: members.reduce((sum, { occurrences }) => sum + occurrences, 0),
    first_seen: heard.map(({ first_seen }) => first_seen).reduce(earliest),
    last_seen: heard.map(({ last_seen }) => last_seen).reduce(lastOf),
    first_crash_at: heard.map((one) => one.first_crash_at ?? one.first_seen).reduce(earliest),
    releases: byTime.flatMap(({ releases }) => releases).reduce<readonly string[]>(remember, []),
    environments: byTime.flatMap((one) => one.environments).reduce<readonly string[]>(remember, []),
    doors: [...new Set(members.flatMap(({ doors }) => doors))],
    sources: members.map(sourcesOf).reduce(joinSources),
    members,
  };
}

/** Two runs as the domain leaves them: the one that was merged or split, and the other one. */
export interface RunPair {
  readonly run: Run;
  readonly into: Run;
}

/** Adds a run and its members to another one. */
export function joinRuns({ run, into }: RunPair): RunPair {
  const [own, ...others] = membersOf(run);
  if (own === undefined) return { run, into };
  const members = [...membersOf(into), { ...own, into: into.run_id }, ...others];
  return { run: { ...run, merged_into: into.run_id }, into: withMembers(into, members) };
}

/** Takes a run and its members out of the other one again, with the crashes that were counted since. */
export function partRuns({ run, into }: RunPair): RunPair {
  const members = membersOf(into);
  const ids = new Set(membersOf(run).map(({ run_id }) => run_id));
  const latest = new Map(members.map((one) => [one.run_id, one]));
  const own = membersOf(run).map((one) => ({ ...one, ...countsOf(latest.get(one.run_id) ?? one) }));
  return {
    run: withMembers({ ...run, merged_into: null }, own),
    into: withMembers(
      into,
      members.filter(({ run_id }) => !ids.has(run_id)),
    ),
  };
}

/** Appends a value as the latest one. */
export function remember<T extends string>(known: readonly T[], value: T | null): readonly T[] {
  if (value === null || known.at(-1) === value) return known;
  return [...known.filter((item) => item !== value), value].slice(-REMEMBERED);
}
