import type { ReopenTarget } from '../domain/draft.js';
import { type EarlierIssue, earlierIssueOf } from '../domain/fix.js';
import type { LinkBack } from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import { isCulpritError } from '../errors/error.js';
import type { RunStore } from '../ports/run-store.js';
import { timeLimit } from '../resilience/time-limit.js';
import { followingOf } from '../runs/following.js';
import type { EngineServices } from '../runs/services.js';
import { publisherOf } from '../runs/system-of.js';
import { whyNotReopened } from './destination.js';
import type { FirstReleaseOf } from './first-releases.js';
import { linkBackOf } from './follow-up-effect.js';

/** Time limit of reading the issue. */
const READ_MS = 30_000;

/** The ports and services that `earlierIssueFor` uses. */
export type EarlierIssueParts = Pick<
  EngineServices,
  'runStore' | 'publisher' | 'policy' | 'projects' | 'tasks'
> & { readonly firstRelease: FirstReleaseOf };

export interface Earlier {
  /** Also `null` if retention has deleted the earlier run. */
  readonly earlierIssue: EarlierIssue | null;
  /** `null`: the regression is published as a new issue. */
  readonly reopens: ReopenTarget | null;
  /** The comment that links a new issue from the earlier one. */
  readonly link_back: LinkBack | null;
}

/**
 * The issue of the run that this one is a regression of, and whether the regression becomes a comment on it, or a new issue that
 * it is linked to. Rejects if that cannot be found out now, so that an outage makes no new issue.
 */
export async function earlierIssueFor(run: Run, parts: EarlierIssueParts): Promise<Earlier> {
  const { runStore, publisher: all, policy, projects } = parts;
  const earlier = run.regression_of === null ? null : await runStore.get(run.regression_of);
  const issue = earlier && earlierIssueOf(earlier.run);
  const fixed_in = issue?.fix ? await parts.firstRelease(run.project, issue.fix.commit) : null;
  const earlierIssue = issue && (fixed_in === null ? issue : { ...issue, fixed_in });
  const config = projects(run.project);
  const repository = config.publishRepository ?? config.repository ?? run.project;
  const how = followingOf(policy, config).regressionIssues;
  const publisher = all && publisherOf(all, repository);
  const from = earlier?.run.draft?.repository;
  const at = issue && from !== undefined ? { repository: from, number: issue.number, url: issue.url } : null;
  const none = { earlierIssue, reopens: null, link_back: at && linkBackOf(all, at, repository) };
  if (earlierIssue === null || how === 'new' || !publisher?.reopening) return none;
  if (from !== repository) return none;
  const { number, url } = earlierIssue;
  try {
    const stored = await publisher.read(repository, number, timeLimit(READ_MS, parts.tasks.signal));
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

/** The run that published the issue last: a later run of the fingerprint may have reopened it. */
export async function lastPublishedAs(
  runStore: RunStore,
  { run_id, project, fingerprint, publication }: Run,
): Promise<string> {
  const { runs } = await runStore.page({ project, fingerprint: fingerprint.hash, limit: 1 });
  const [latest] = runs;
  return latest?.publication?.issue_url === publication?.issue_url ? (latest?.run_id ?? run_id) : run_id;
}
