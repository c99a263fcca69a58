import type { Deploy, Release, ReleaseCommit, ReleaseCounts } from './domain/release.js';
import type { ReleaseBook, ReleasePage, ReleaseProject } from './pipeline/releases/release-book.js';
import type { NewDeploy, ReleaseContent, ReleaseFacts } from './pipeline/releases/release-facts.js';
import type { ReleaseTally } from './pipeline/releases/release-tally.js';

/** Recorded releases. What is recorded changes no run by itself: the next analysis reads it. */
export interface EngineReleases {
  /** The projects that can have releases. */
  projects(): readonly ReleaseProject[];
  /**
   * Records a release, or adds facts and commits to one that is recorded. Rejects with `not_found` for an unknown project, and with
   * `malformed`; then nothing is recorded.
   */
  record(
    project: string,
    version: string,
    facts?: ReleaseFacts,
    content?: ReleaseContent,
  ): Promise<{ readonly release: Release; readonly created: boolean }>;
  /** These three reject with `not_found` if the release is not recorded, and with `malformed`. */
  update(project: string, version: string, facts: ReleaseFacts): Promise<Release>;
  /** `null`: forgets the commits. A range that the code host cannot resolve now leaves their number unknown. */
  setCommits(project: string, version: string, content: ReleaseContent | null): Promise<Release>;
  /** The same deploy again is recorded once. */
  deploy(project: string, version: string, deploy: NewDeploy): Promise<Deploy>;
  /** `null`: it is not recorded. */
  find(project: string, version: string): Promise<Release | null>;
  /** Newest first; `null`: unknown. */
  commits(project: string, version: string): Promise<readonly ReleaseCommit[] | null>;
  /** Newest first. `from`: how many to skip; `limit`: at most 100. */
  page(query: {
    readonly projects: readonly string[];
    readonly from: number;
    readonly limit: number;
  }): Promise<ReleasePage>;
  /** The versions of a project's recorded releases, and when each was recorded (ms since 1970), newest first. */
  versions(project: string): Promise<readonly { readonly version: string; readonly at: number }[]>;
  /** The last release recorded before this one that has a commit; `null`: there is none. */
  before(project: string, version: string): Promise<Release | null>;
  /** Rejects with `not_found` if it is not recorded. */
  remove(project: string, version: string): Promise<void>;
  /** What is counted of a project's releases, recorded or not, by their latest crash; at most 100. */
  counts(project: string): Promise<readonly ReleaseCounts[]>;
}

type Open = <Arguments extends unknown[], Result>(
  work: (...args: Arguments) => Promise<Result>,
) => (...args: Arguments) => Promise<Result>;

export function engineReleases(book: ReleaseBook, tally: ReleaseTally, open: Open): EngineReleases {
  return {
    projects: () => book.projects(),
    record: open((...args) => book.record(...args)),
    update: open((...args) => book.update(...args)),
    setCommits: open((project, version, content) =>
      content === null ? book.clearCommits(project, version) : book.setCommits(project, version, content),
    ),
    deploy: open((...args) => book.deploy(...args)),
    find: open((...args) => book.find(...args)),
    commits: open((...args) => book.commits(...args)),
    page: open((query) => book.page(query)),
    versions: open((project) => book.versions(project)),
    before: open((...args) => book.before(...args)),
    remove: open((...args) => book.remove(...args)),
    counts: open((project) => tally.counts(project)),
  };
}
