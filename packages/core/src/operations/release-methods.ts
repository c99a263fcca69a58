import type { ReleasePage } from '../pipeline/releases/release-book.js';
import type { EngineParts } from './engine-parts.js';
import { type MethodsOf, method } from './method.js';
import { OF_PROJECT, within } from './reach.js';

const ofProject = <Part extends keyof EngineParts, Name extends keyof EngineParts[Part]>(
  part: Part,
  name: Name,
) => method(OF_PROJECT, part, name);

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
  record: ofProject('releases', 'record'),
  /** Rejects with `not_found` if the release is not recorded, and with `malformed`; so do `setCommits` and `deploy`. */
  update: ofProject('releases', 'update'),
  /** `null`: forgets the commits. A range that the code host cannot resolve now leaves their number unknown. */
  setCommits: ofProject('releases', 'setCommits'),
  /** The same deploy again is recorded once. */
  deploy: ofProject('releases', 'deploy'),
  /** `null`: it is not recorded. */
  find: ofProject('releases', 'find'),
  /** Newest first; `null`: unknown. */
  commits: ofProject('releases', 'commits'),
  /** Newest first. */
  page: method(
    within((limits, call: (query: PageQuery) => Promise<ReleasePage>, query: PageQuery) =>
      call({ ...query, projects: query.projects.filter((project) => limits.own({ project })) }),
    ),
    'releases',
    'page',
  ),
  /** The versions of a project's recorded releases, and when each was recorded (ms since 1970), newest first. */
  versions: ofProject('releases', 'versions'),
  /** The last release recorded before this one that has a commit; `null`: there is none. */
  before: ofProject('releases', 'before'),
  /** Rejects with `not_found` if it is not recorded. */
  remove: ofProject('releases', 'remove'),
  /** What is counted of a project's releases, recorded or not, by their latest crash; at most 100. */
  counts: ofProject('tally', 'counts'),
};

/** The rows as methods. */
export type ReleaseMethods = MethodsOf<typeof RELEASE_METHODS>;
