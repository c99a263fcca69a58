/** A commit that a release brought. */
export interface ReleaseCommit {
  /** Full SHA. */
  readonly sha: string;
  /** The first line of its message. */
  readonly title: string;
  /** ISO 8601; `null`: unknown. */
  readonly committed_at: string | null;
}

/** A release that was put into an environment. */
export interface Deploy {
  readonly id: string;
  readonly environment: string;
  readonly name: string | null;
  /** `https` or `http`. */
  readonly url: string | null;
  /** ISO 8601; `null`: unknown. */
  readonly started_at: string | null;
  /** ISO 8601. */
  readonly finished_at: string;
}

/** A release of a project, as it was recorded. Frozen as `culprit.release/1`. */
export interface Release {
  readonly project: string;
  /** As the crashes name it. */
  readonly version: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly started_at: string | null;
  /** ISO 8601; `null`: not finalised. */
  readonly finalised_at: string | null;
  readonly url: string | null;
  readonly archived: boolean;
  /** Full SHA, or what was sent if the code host does not know it yet; `null`: unknown. */
  readonly commit: string | null;
  /** The commit of the release before; `null`: unknown. */
  readonly previous_commit: string | null;
  /** How many commits it brought, at most `RELEASE_LIMITS.commits`; `null`: unknown. */
  readonly commits: number | null;
  /** It brought more than that. */
  readonly more_commits: boolean;
  /** Newest first, at most `RELEASE_LIMITS.deploys`. */
  readonly deploys: readonly Deploy[];
}

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

/** What a run shows of its release. */
export interface RunRelease {
  readonly version: string;
  /** How many commits it brought; `null`: unknown. */
  readonly commits: number | null;
  readonly more_commits: boolean;
  /** `after_ms`: from the deploy to the first crash. */
  readonly deploy: {
    readonly environment: string;
    readonly at: string;
    readonly after_ms: number;
  } | null;
}

/** What the crashes of one release are, counted since its first crash was. */
export interface ReleaseCounts {
  readonly version: string;
  /** ISO 8601, of receipt. */
  readonly first_crash_at: string;
  readonly last_crash_at: string;
  readonly crashes: number;
  /** Runs that started with a crash of this release, without regressions. */
  readonly new_runs: number;
  readonly regressed_runs: number;
  /** Share of the project's crashes of the last 60 minutes and 24 hours, 0 to 1; `null`: there were none. */
  readonly hour_share: number | null;
  readonly day_share: number | null;
}

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
