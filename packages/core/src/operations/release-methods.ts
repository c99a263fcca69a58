import type { Release } from '../domain/release.js';
import type { ReleasePage } from '../pipeline/releases/release-book.js';
import type { NewDeploy, ReleaseContent, ReleaseFacts } from '../pipeline/releases/release-facts.js';
import type { EngineParts } from './engine-parts.js';
import { type MethodsOf, method } from './method.js';
import { OF_PROJECT, within } from './reach.js';

const ofProject = <Args extends readonly unknown[], Result>(
  handle: (parts: EngineParts, project: string, ...args: Args) => Promise<Result>,
) => method<[project: string, ...args: Args], Result>(OF_PROJECT, handle);

interface PageQuery {
  readonly projects: readonly string[];
  /** How many to skip. */
  readonly from: number;
  /** At most 100. */
  readonly limit: number;
}

/** What can be done with recorded releases, and what of it a caller sees who is limited to projects. */
export const RELEASE_METHODS = {
  /**
   * Records a release, or adds facts and commits to one that is recorded. Rejects with `not_found` for an unknown project, and with
   * `malformed`; then nothing is recorded.
   */
  record: ofProject(
    ({ releases }, project, version: string, facts?: ReleaseFacts, content?: ReleaseContent) =>
      releases.record(project, version, facts, content),
  ),
  /** Rejects with `not_found` if the release is not recorded, and with `malformed`; so do `setCommits` and `deploy`. */
  update: ofProject(
    ({ releases }, project, version: string, facts: ReleaseFacts): Promise<Release> =>
      releases.update(project, version, facts),
  ),
  /** `null`: forgets the commits. A range that the code host cannot resolve now leaves their number unknown. */
  setCommits: ofProject(
    ({ releases }, project, version: string, content: ReleaseContent | null): Promise<Release> =>
      content === null
        ? releases.clearCommits(project, version)
        : releases.setCommits(project, version, content),
  ),
  /** The same deploy again is recorded once. */
  deploy: ofProject(({ releases }, project, version: string, deploy: NewDeploy) =>
    releases.deploy(project, version, deploy),
  ),
  /** `null`: it is not recorded. */
  find: ofProject(({ releases }, project, version: string) => releases.find(project, version)),
  /** Newest first; `null`: unknown. */
  commits: ofProject(({ releases }, project, version: string) => releases.commits(project, version)),
  /** Newest first. */
  page: method(
    within((limits, call: (query: PageQuery) => Promise<ReleasePage>, query: PageQuery) =>
      call({ ...query, projects: query.projects.filter((project) => limits.own({ project })) }),
    ),
    ({ releases }, query: PageQuery) => releases.page(query),
  ),
  /** The versions of a project's recorded releases, and when each was recorded (ms since 1970), newest first. */
  versions: ofProject(({ releases }, project) => releases.versions(project)),
  /** The last release recorded before this one that has a commit; `null`: there is none. */
  before: ofProject(({ releases }, project, version: string) => releases.before(project, version)),
  /** Rejects with `not_found` if it is not recorded. */
  remove: ofProject(({ releases }, project, version: string) => releases.remove(project, version)),
  /** What is counted of a project's releases, recorded or not, by their latest crash; at most 100. */
  counts: ofProject(({ tally }, project) => tally.counts(project)),
};

/** The rows as methods. */
export type ReleaseMethods = MethodsOf<typeof RELEASE_METHODS>;
