import type { ReleaseBook } from './release-book.js';

export type RecordedReleases = Pick<ReleaseBook, 'find' | 'versions' | 'commits'>;

/** What the code host knows of a commit. */
export interface CommitKnowledge {
  /** ISO 8601; `null`: unknown. A release that was recorded before cannot contain the commit. */
  readonly committed_at: string | null;
  /** Whether a released commit contains it; `null`: nobody can tell. `null` in place of the function: no code host. */
  readonly isIn: ((sha: string, at: string) => Promise<boolean | null>) | null;
}

/** Releases looked at for one commit, and questions to the code host: each may be a request. */
const MOST_READ = 200;
const MOST_ASKED = 30;
/** By which the clock of a committer may be ahead. */
const SKEW_MS = 60 * 60_000;

/**
 * The earliest recorded release that contains a commit: one that lists it, or one whose commit contains it as the code host
 * says. `null` if there is none, or if it would be a guess, because nobody can tell about an earlier release.
 */
export async function firstRecorded(
  releases: RecordedReleases,
  project: string,
  commit: string,
  { committed_at, isIn }: CommitKnowledge,
): Promise<string | null> {
  const since = committed_at === null ? 0 : Date.parse(committed_at) - SKEW_MS;
  const later = (await releases.versions(project)).filter(({ at }) => at >= since);
  let asked = 0;
  let first: string | null = null;
  let untold = later.length > MOST_READ;
  for (const { version } of later.slice(0, MOST_READ)) {
    const release = await releases.find(project, version);
    if (release === null || release.archived) continue;
    const listed = await releases.commits(project, version);
    if (listed?.some(({ sha }) => sha === commit)) return version;
    let has: boolean | null = release.commit === commit ? true : null;
    if (has === null && release.commit !== null && isIn !== null && asked < MOST_ASKED) {
      asked += 1;
      has = await isIn(release.commit, release.created_at);
    }
    if (has === true) {
      first = version;
      untold = later.length > MOST_READ;
    } else untold ||= has === null;
  }
  return untold ? null : first;
}
