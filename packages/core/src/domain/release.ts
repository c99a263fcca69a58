import * as v from 'valibot';
import { about, count, type Doc, named, text } from './schema.js';

export const releaseCommitSchema = named(
  'ReleaseCommit',
  'A commit that came with a release.',
  v.object({
    sha: about(v.string(), 'Full SHA.'),
    title: about(v.string(), 'The first line of its message.'),
    committed_at: about(text, 'ISO 8601; `null`: unknown.'),
  }),
);
/** A commit that came with a release. */
export interface ReleaseCommit extends Doc<typeof releaseCommitSchema> {}

export const deploySchema = named(
  'Deploy',
  'A release that was deployed to an environment.',
  v.object({
    id: v.string(),
    environment: v.string(),
    name: text,
    url: about(text, '`https` or `http`.'),
    started_at: about(text, 'ISO 8601; `null`: unknown.'),
    finished_at: about(v.string(), 'ISO 8601.'),
  }),
);
/** A release that was deployed to an environment. */
export interface Deploy extends Doc<typeof deploySchema> {}

const brought = {
  commits: about(count, 'Number of commits that came with it. `null`: unknown.'),
  more_commits: about(v.boolean(), 'More commits than that came with it.'),
};

export const releaseSchema = named(
  'Release',
  'A recorded release with its deploys.',
  v.object({
    project: v.string(),
    version: about(v.string(), 'As the crashes name it.'),
    created_at: about(v.string(), 'ISO 8601.'),
    started_at: text,
    finalised_at: about(text, '`null`: not finalised.'),
    url: text,
    archived: v.boolean(),
    commit: about(text, 'Full SHA, or what was sent if the code host does not know it yet. `null`: unknown.'),
    previous_commit: about(text, 'The commit of the previous release. `null`: unknown.'),
    ...brought,
    deploys: about(v.array(deploySchema), 'Newest first, at most 50.'),
  }),
);
/** A release of a project, as it was recorded. Frozen as `culprit.release/1`. */
export interface Release extends Doc<typeof releaseSchema> {}

/** Bounds of what is recorded. */
export const RELEASE_LIMITS = {
  /** Of one project. The oldest is dropped. */
  releases: 1_000,
  commits: 500,
  deploys: 50,
  versionChars: 200,
  environmentChars: 64,
  titleChars: 200,
  urlChars: 1_000,
  /** On a page of the list. */
  page: 100,
} as const;

/** The release that a run's first crash happened in: what an analysis knew of it. Part of the evidence. */
export interface ReleaseWindow {
  readonly version: string;
  /** Full SHA; `null`: unknown. */
  readonly commit: string | null;
  /** SHAs of the commits that it brought; `null`: unknown. */
  readonly commits: readonly string[] | null;
  readonly more_commits: boolean;
  /** The last deploy before the first crash; `null`: none, or it is too long ago. */
  readonly deploy: { readonly environment: string; readonly at: string } | null;
}

export const runReleaseSchema = v.object({
  version: v.string(),
  ...brought,
  deploy: about(
    v.nullable(
      v.object({
        environment: v.string(),
        at: v.string(),
        after_ms: about(v.number(), 'Milliseconds from the deploy to the first crash.'),
      }),
    ),
    'The last deploy before the first crash. `null`: none, or it is more than a week ago.',
  ),
});
/** What a run shows of its release. */
export interface RunRelease extends Doc<typeof runReleaseSchema> {}

/* @__NO_SIDE_EFFECTS__ */
function share(time: string) {
  return about(
    count,
    `Share of the project’s crashes of the last ${time}, 0 to 1. \`null\`: there were none.`,
  );
}

const releaseCountsSchema = v.object({
  version: v.string(),
  first_crash_at: about(v.string(), 'ISO 8601, of receipt.'),
  last_crash_at: v.string(),
  crashes: v.number(),
  new_runs: about(v.number(), 'Runs that started with a crash of this release, without regressions.'),
  regressed_runs: v.number(),
  hour_share: share('60 minutes'),
  day_share: share('24 hours'),
});
/** What the crashes of one release are, counted since its first crash was. */
export interface ReleaseCounts extends Doc<typeof releaseCountsSchema> {}

export const listedReleaseSchema = named(
  'ListedRelease',
  'A release, recorded or named by crashes, with what is counted of it.',
  v.object({
    project: v.string(),
    version: v.string(),
    at: about(v.string(), 'When it was recorded; if it was not, receipt of its first crash.'),
    release: about(v.nullable(releaseSchema), '`null`: not recorded; crashes name it.'),
    counts: about(v.nullable(releaseCountsSchema), '`null`: none of its crashes is counted.'),
  }),
);
/** A release, recorded or named by crashes, in a list. */
export interface ListedRelease extends Doc<typeof listedReleaseSchema> {}

/** Why a text is no version; `null`: it is one. */
export function versionProblem(version: string): string | null {
  if (version.trim() !== version || version === '') return 'must not be empty, or start or end with a space';
  if (version.length > RELEASE_LIMITS.versionChars)
    return `must have at most ${RELEASE_LIMITS.versionChars} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused here.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(version)) return 'must not contain control characters';
  if (/\p{Surrogate}/u.test(version)) return 'must not contain unpaired surrogates';
  return version === '.' || version === '..' ? 'must not be a path' : null;
}

/** `4 minutes`, `2 hours`, `3 days`: rounded down, in one unit. */
export function durationText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const of = (count: number, unit: string) => (count === 1 ? `1 ${unit}` : `${count} ${unit}s`);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return of(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? of(hours, 'hour') : of(Math.floor(hours / 24), 'day');
}

/** `12 commits`, `more than 500 commits`, `one commit`. */
export function commitsText(commits: number, more: boolean): string {
  if (more) return `more than ${commits} commits`;
  return commits === 1 ? 'one commit' : `${commits} commits`;
}
