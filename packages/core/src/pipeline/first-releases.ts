import { inject, injectable } from '../di/inject.js';
import { EnginePolicy } from '../engine-api.js';
import { Clock } from '../ports/clock.js';
import { CodeHost } from '../ports/code-host.js';
import { Logger } from '../ports/logger.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { timeLimit, untilAborted } from '../resilience/time-limit.js';
import { Projects } from '../runs/projects.js';
import { codeHostOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';
import { ReleaseBook } from './releases/release-book.js';

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

/**
 * The first release that contains a commit. Looks through the recorded releases, then asks the code host for its own, once at a time for
 * each commit; answers are kept in memory.
 */
@injectable()
export class FirstReleases {
  private readonly answers: BoundedMap<string, Answer> = boundedMap(MAX_KNOWN);
  private readonly asking = new Map<string, Promise<string | null>>();

  constructor(
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(ReleaseBook) private readonly releases: ReleaseBook,
    @inject(Projects) private readonly projects: Projects,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Logger) private readonly logger: Logger,
  ) {}

  /** Of a commit of the project's repository. `null`: unknown. Never rejects. */
  async of(project: string, commit: string): Promise<string | null> {
    const key = JSON.stringify([project, commit]);
    const known = this.answers.get(key);
    if (known !== undefined && this.clock.now() < known.until) return known.release;
    const question = this.asking.get(key) ?? this.ask(key, project, commit);
    this.asking.set(key, question);
    return question;
  }

  private async ask(key: string, project: string, commit: string): Promise<string | null> {
    const keep = (release: string | null, ms: number) => {
      this.answers.set(key, { release, until: this.clock.now() + ms });
      return release;
    };
    try {
      const signal = timeLimit(READ_MS, this.tasks.signal);
      return keep(await untilAborted(this.find(project, commit, signal), signal), this.policy.issueStateMs);
    } catch (error) {
      this.logger.warn({ err: error, commit }, 'it is unknown which release contains a fix first');
      return keep(null, FAILED_MS);
    } finally {
      this.asking.delete(key);
    }
  }

  private async find(project: string, commit: string, signal: AbortSignal): Promise<string | null> {
    const { codeHost, releases } = this;
    const { repository } = this.projects.of(project);
    const ancestry = repository && codeHost ? codeHostOf(codeHost, repository).ancestry : undefined;
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
  }
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
 * says. `null` if there is none, or if it would be a guess, because it is unknown whether an earlier release contains it.
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
