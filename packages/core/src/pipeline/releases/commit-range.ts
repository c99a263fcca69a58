import { inject, injectable } from '../../di/inject.js';
import { RELEASE_LIMITS, type ReleaseCommit } from '../../domain/release.js';
import { CulpritError, isCulpritError } from '../../errors/error.js';
import { Clock } from '../../ports/clock.js';
import { CodeHost } from '../../ports/code-host.js';
import { Logger } from '../../ports/logger.js';
import { timeLimit } from '../../resilience/time-limit.js';
import { codeHostOf } from '../../runs/system-of.js';
import { Tasks } from '../../runs/tasks.js';
import { isFullSha, line } from './release-facts.js';

/** Time limit of one range: a program waits for the answer. */
const RANGE_MS = 20_000;

export interface Range {
  readonly commit: string;
  /** `null`: unknown. */
  readonly previous: string | null;
}
export interface FoundRange extends Range {
  /** Newest first; `null`: the code host cannot answer now, or the previous commit is unknown. */
  readonly commits: readonly ReleaseCommit[] | null;
  readonly more: boolean;
}

/** The commits that releases brought. */
@injectable()
export class CommitRanges {
  constructor(
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(Clock) private readonly clock: Clock,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Logger) private readonly logger: Logger,
  ) {}

  /**
   * The commits between two revisions of a repository. Abbreviated SHAs and tags become full SHAs; rejects with
   * `malformed` if the repository does not have them.
   */
  async find(repository: string | null, { commit, previous }: Range): Promise<FoundRange> {
    const signal = timeLimit(RANGE_MS, this.tasks.signal);
    const host = this.codeHost && repository !== null ? codeHostOf(this.codeHost, repository) : null;
    const full = (name: string) =>
      isFullSha(name) ? name : resolve(host, repository ?? '', name, this.clock.now(), signal);
    const range = { commit: await full(commit), previous: previous === null ? null : await full(previous) };
    const unknown = { ...range, commits: null, more: false };
    if (host?.ancestry?.range === undefined || repository === null || range.previous === null) return unknown;
    const most = RELEASE_LIMITS.commits;
    try {
      const found = await host.ancestry.range(repository, range.previous, range.commit, most, signal);
      if (found === null) return unknown;
      const commits = found.commits.slice(0, most).map(({ sha, title, committed_at }) => ({
        sha,
        title: line(title, RELEASE_LIMITS.titleChars),
        committed_at,
      }));
      return { ...range, commits, more: found.more };
    } catch (error) {
      this.logger.warn({ err: error, ...range }, 'the commits of a release are unknown');
      return unknown;
    }
  }
}

async function resolve(
  host: CodeHost | null,
  repository: string,
  name: string,
  now: number,
  signal: AbortSignal,
): Promise<string> {
  if (host === null)
    throw unresolved(name, 'no repository is configured for the project. Pass the full SHA of the commit.');
  const at = new Date(now).toISOString();
  const hex = /^[0-9a-f]{7,64}$/i.test(name);
  const hints = { commit: hex ? name.toLowerCase() : null, release: hex ? null : name, at, paths: [] };
  try {
    const { revision } = await host.tree(repository, hints, signal);
    if (revision.how !== 'head' && revision.how !== 'date') return revision.sha;
  } catch (error) {
    if (!isCulpritError(error, 'revision_not_found') && !isCulpritError(error, 'revision_foreign'))
      throw error;
  }
  throw unresolved(
    name,
    'the repository has no such tag or commit. Push it first, or pass the full SHA of the commit.',
  );
}

function unresolved(name: string, why: string): CulpritError {
  const detail = `${JSON.stringify(name)} is unknown: ${why}`;
  return new CulpritError('malformed', detail, { path: 'commit' });
}
