import { inject, injectable } from '../di/inject.js';
import type { ReopenTarget } from '../domain/draft.js';
import { type EarlierIssue, earlierIssueOf } from '../domain/fix.js';
import type { LinkBack } from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import { isCulpritError } from '../errors/error.js';
import { Publisher } from '../ports/publisher.js';
import type { RunStore } from '../ports/run-store.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Projects } from '../runs/projects.js';
import { Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';
import { whyNotReopened } from './destination.js';
import { FirstReleases } from './first-releases.js';
import { linkBackOf } from './follow-up-effect.js';

/** Time limit of reading the issue. */
const READ_MS = 30_000;

export interface Earlier {
  /** Also `null` if retention has deleted the earlier run. */
  readonly earlierIssue: EarlierIssue | null;
  /** `null`: the regression is published as a new issue. */
  readonly reopens: ReopenTarget | null;
  /** The comment that links a new issue from the earlier one. */
  readonly link_back: LinkBack | null;
}

/** The issues that regressions come after. */
@injectable()
export class EarlierIssues {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(FirstReleases) private readonly firstReleases: FirstReleases,
    @inject(Projects) private readonly projects: Projects,
    @inject(Tasks) private readonly tasks: Tasks,
  ) {}

  /**
   * The issue of the run that this one is a regression of, and whether the regression becomes a comment on it, or a new issue that
   * it is linked to. Rejects if that cannot be found out now, so that an outage makes no new issue.
   */
  async of(run: Run): Promise<Earlier> {
    const { publisher: all, projects } = this;
    const earlier = run.regression_of === null ? null : await this.runs.store.get(run.regression_of);
    const issue = earlier && earlierIssueOf(earlier.run);
    const fixed_in = issue?.fix ? await this.firstReleases.of(run.project, issue.fix.commit) : null;
    const earlierIssue = issue && (fixed_in === null ? issue : { ...issue, fixed_in });
    const config = projects.of(run.project);
    const repository = config.publishRepository ?? config.repository ?? run.project;
    const how = projects.following(run.project).regressionIssues;
    const publisher = all && publisherOf(all, repository);
    const from = earlier?.run.draft?.repository;
    const at =
      issue && from !== undefined ? { repository: from, number: issue.number, url: issue.url } : null;
    const none = { earlierIssue, reopens: null, link_back: at && linkBackOf(all, at, repository) };
    if (earlierIssue === null || how === 'new' || !publisher?.reopening) return none;
    if (from !== repository) return none;
    const { number, url } = earlierIssue;
    try {
      const stored = await publisher.read(repository, number, timeLimit(READ_MS, this.tasks.signal));
      // An issue that is gone takes no comment.
      if (stored === null) return { ...none, link_back: null };
      if (whyNotReopened(stored, { url }) !== null) return none;
      const reopens = { number, url, ...(how === 'comment' ? { only_comment: true as const } : {}) };
      return { earlierIssue, reopens, link_back: null };
    } catch (error) {
      if (isCulpritError(error) && !error.retryable) return none;
      throw error;
    }
  }
}

/** The run that published the issue last: a later run of the fingerprint may have reopened it. */
export async function lastPublishedAs(
  runStore: RunStore,
  { run_id, project, fingerprint, publication }: Run,
): Promise<string> {
  const { runs } = await runStore.page({ project, fingerprint: fingerprint.hash, limit: 1 });
  const [latest] = runs;
  return latest?.publication?.issue_url === publication?.issue_url ? (latest?.run_id ?? run_id) : run_id;
}
