import type { Release } from '../domain/release.js';
import type { ReleaseBook, ReleasePage } from '../pipeline/releases/release-book.js';
import type { NewDeploy, ReleaseContent, ReleaseFacts } from '../pipeline/releases/release-facts.js';
import type { ReleaseTally } from '../pipeline/releases/release-tally.js';
import type { Method, MethodsOf } from './method.js';
import { OF_PROJECT, type Reach, within } from './reach.js';

/** What the operations on releases are carried out with. */
export interface ReleaseParts {
  readonly book: ReleaseBook;
  readonly tally: ReleaseTally;
}

function method<Args extends readonly unknown[], Result>(
  reach: Reach,
  handle: (parts: ReleaseParts, ...args: Args) => Promise<Result>,
): Method<ReleaseParts, Args, Result> {
  return { reach, handle };
}

const ofProject = <Args extends readonly unknown[], Result>(
  handle: (parts: ReleaseParts, project: string, ...args: Args) => Promise<Result>,
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
  record: ofProject(({ book }, project, version: string, facts?: ReleaseFacts, content?: ReleaseContent) =>
    book.record(project, version, facts, content),
  ),
  /** Rejects with `not_found` if the release is not recorded, and with `malformed`; so do `setCommits` and `deploy`. */
  update: ofProject(
    ({ book }, project, version: string, facts: ReleaseFacts): Promise<Release> =>
      book.update(project, version, facts),
  ),
  /** `null`: forgets the commits. A range that the code host cannot resolve now leaves their number unknown. */
  setCommits: ofProject(
    ({ book }, project, version: string, content: ReleaseContent | null): Promise<Release> =>
      content === null ? book.clearCommits(project, version) : book.setCommits(project, version, content),
  ),
  /** The same deploy again is recorded once. */
  deploy: ofProject(({ book }, project, version: string, deploy: NewDeploy) =>
    book.deploy(project, version, deploy),
  ),
  /** `null`: it is not recorded. */
  find: ofProject(({ book }, project, version: string) => book.find(project, version)),
  /** Newest first; `null`: unknown. */
  commits: ofProject(({ book }, project, version: string) => book.commits(project, version)),
  /** Newest first. */
  page: method(
    within((limits, call: (query: PageQuery) => Promise<ReleasePage>, query: PageQuery) =>
      call({ ...query, projects: query.projects.filter((project) => limits.own({ project })) }),
    ),
    ({ book }, query: PageQuery) => book.page(query),
  ),
  /** The versions of a project's recorded releases, and when each was recorded (ms since 1970), newest first. */
  versions: ofProject(({ book }, project) => book.versions(project)),
  /** The last release recorded before this one that has a commit; `null`: there is none. */
  before: ofProject(({ book }, project, version: string) => book.before(project, version)),
  /** Rejects with `not_found` if it is not recorded. */
  remove: ofProject(({ book }, project, version: string) => book.remove(project, version)),
  /** What is counted of a project's releases, recorded or not, by their latest crash; at most 100. */
  counts: ofProject(({ tally }, project) => tally.counts(project)),
};

/** The rows as methods. */
export type ReleaseMethods = MethodsOf<typeof RELEASE_METHODS>;
