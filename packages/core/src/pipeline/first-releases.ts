import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { timeLimit, untilAborted } from '../resilience/time-limit.js';
import type { EngineServices } from '../runs/services.js';
import { codeHostOf } from '../runs/system-of.js';
import type { ReleaseBook } from './releases/release-book.js';

/** Time limit of one question: a reviewer waits for the page. */
const READ_MS = 5_000;
/** How long the code host is left alone after a failure. */
const FAILED_MS = 30_000;
/** Answers remembered. */
const MAX_KNOWN = 1_000;

interface Answer {
  readonly release: string | null;
  readonly until: number;
}

/** The ports and services that `firstReleases` uses. */
export type FirstReleasesParts = Pick<
  EngineServices,
  'codeHost' | 'projects' | 'clock' | 'policy' | 'tasks' | 'logger'
> & { readonly releases: RecordedReleases };

/** The first release that contains a commit of a project's repository. `null`: unknown. Never rejects. */
export type FirstReleaseOf = (project: string, commit: string) => Promise<string | null>;

/**
 * Looks through the recorded releases, then asks the code host for its own, once at a time for each commit; answers are kept in
 * memory.
 */
export function firstReleases(parts: FirstReleasesParts): FirstReleaseOf {
  const { codeHost, projects, clock, policy, tasks, logger, releases } = parts;
  const answers: BoundedMap<string, Answer> = boundedMap(MAX_KNOWN);
  const asking = new Map<string, Promise<string | null>>();

  const ancestryOf = (repository: string) => codeHost && codeHostOf(codeHost, repository).ancestry;
  const ask = async (key: string, project: string, commit: string): Promise<string | null> => {
    const keep = (release: string | null, ms: number) => {
      answers.set(key, { release, until: clock.now() + ms });
      return release;
    };
    try {
      const signal = timeLimit(READ_MS, tasks.signal);
      return keep(await untilAborted(find(project, commit, signal), signal), policy.issueStateMs);
    } catch (error) {
      logger.warn({ err: error, commit }, 'it is unknown which release contains a fix first');
      return keep(null, FAILED_MS);
    } finally {
      asking.delete(key);
    }
  };
  const find = async (project: string, commit: string, signal: AbortSignal): Promise<string | null> => {
    const { repository } = projects(project);
    const ancestry = repository ? ancestryOf(repository) : undefined;
    const isIn =
      repository && ancestry
        ? (name: string, at: string) =>
            ancestry.contains(repository, commit, { commit: name, release: null, at }, signal)
        : null;
    const hasReleases = (await releases.versions(project)).length > 0;
    const [known] =
      hasReleases && repository && codeHost ? await codeHost.commits(repository, [commit], signal) : [];
    const knowledge = { committed_at: known?.committed_at ?? null, isIn };
    const recorded = hasReleases ? await firstRecorded(releases, project, commit, knowledge) : null;
    if (recorded !== null || !repository) return recorded;
    return (await ancestry?.firstRelease?.(repository, commit, signal)) ?? null;
  };
  return async (project, commit) => {
    const key = JSON.stringify([project, commit]);
    const known = answers.get(key);
    if (known !== undefined && clock.now() < known.until) return known.release;
    const question = asking.get(key) ?? ask(key, project, commit);
    asking.set(key, question);
    return question;
  };
}

type RecordedReleases = Pick<ReleaseBook, 'find' | 'versions' | 'commits'>;

/** What the code host knows of a commit. */
interface CommitKnowledge {
  /** ISO 8601; `null`: unknown. A release that was recorded before cannot contain the commit. */
  readonly committed_at: string | null;
  /** Whether a released commit contains it; `null`: nobody can tell. `null` in place of the function: no code host. */
  readonly isIn: ((sha: string, at: string) => Promise<boolean | null>) | null;
}

/** Releases looked at for one commit, and questions to the code host: each may be a request. */
const MAX_READ = 200;
const MAX_ASKED = 30;
/** By which the clock of a committer may be ahead. */
const SKEW_MS = 60 * 60_000;

/**
 * The earliest recorded release that contains a commit: one that lists it, or one whose commit contains it as the code host
 * says. `null` if there is none, or if it would be a guess, because nobody can tell about an earlier release.
 */
async function firstRecorded(
  releases: RecordedReleases,
  project: string,
  commit: string,
  { committed_at, isIn }: CommitKnowledge,
): Promise<string | null> {
  const since = committed_at === null ? 0 : Date.parse(committed_at) - SKEW_MS;
  const later = (await releases.versions(project)).filter(({ at }) => at >= since);
  let asked = 0;
  let first: string | null = null;
  let untold = later.length > MAX_READ;
  for (const { version } of later.slice(0, MAX_READ)) {
    const release = await releases.find(project, version);
    if (release === null || release.archived) continue;
    const listed = await releases.commits(project, version);
    if (listed?.some(({ sha }) => sha === commit)) return version;
    let has: boolean | null = release.commit === commit ? true : null;
    if (has === null && release.commit !== null && isIn !== null && asked < MAX_ASKED) {
      asked += 1;
      has = await isIn(release.commit, release.created_at);
    }
    if (has === true) {
      first = version;
      untold = later.length > MAX_READ;
    } else untold ||= has === null;
  }
  return untold ? null : first;
}
