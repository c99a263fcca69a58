import type { CodeHost, Commit, CommitRange, Diff, OwnersFile, OwnersReader, Tree } from '@culprit/core';
import { type ListedFiles, RestCodeHost } from '../shared/hosts/code-host.js';
import { noRevision } from '../shared/hosts/errors.js';
import { ignoredRevs, isTreePath, missingFile } from '../shared/hosts/files.js';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../shared/open-cache.js';
import { askOrNull, each, type GitlabClient, read, type Target, targetOf } from './ask.js';
import { blameFile, contextOf, diffOf, listFiles, listFolders, readOwnersFile } from './files.js';
import { commitRange, containsCommit, firstRelease, gitlabRevisions, previousRelease } from './releases.js';
import { type CommitObject, commit as commitSchema, mapCommit, mergeRequests } from './schema.js';

/** Everything by REST, one object for each request, a few at a time. */
export class GitlabCodeHost extends RestCodeHost<Target> {
  private readonly contexts: Cache<Awaited<ReturnType<typeof contextOf>>>;
  private readonly details: Cache<CommitObject>;
  private readonly requests: Cache<NonNullable<Commit['pull_request']>>;
  private readonly ownerFiles: Cache<{ readonly file: OwnersFile | null }>;

  constructor(
    private readonly client: GitlabClient,
    web: string,
    context: CacheContext,
  ) {
    super(web, context, 'gitlab');
    const open = cachesOf(context, 'gitlab');
    this.ownerFiles = open('owners.1', 64, IMMUTABLE);
    this.contexts = open('revision.1', 64, IMMUTABLE);
    this.details = open('commit.1', 2_000, IMMUTABLE);
    this.requests = open('merge-request', 2_000, GROWING);
  }

  protected readonly revisionReader = gitlabRevisions;
  protected readonly previousRelease = previousRelease;
  protected readonly listFiles: (target: Target, sha: string) => Promise<ListedFiles> = listFiles;
  protected readonly listFolders = listFolders;
  protected readonly containsCommit = containsCommit;
  protected readonly firstRelease = firstRelease;

  protected targetOf(repository: string, signal: AbortSignal): Target {
    return targetOf(this.client, repository, signal);
  }

  /** An issue that contains a merge request's address writes a reference into it, so drafts only name merge requests. */
  protected links({ id }: Target): Tree['links'] {
    const base = `${this.web}/${id}/-`;
    return { commit: `${base}/commit/{sha}`, line: `${base}/blob/{sha}/{path}#L{line}`, pull_request: null };
  }

  readonly blame: CodeHost['blame'] = async (repository, sha, paths, signal) => {
    const target = this.targetOf(repository, signal);
    const revision = this.key(target, sha);
    const context = await this.contexts.through(revision, async () => {
      await this.requireCommit(target, sha);
      return contextOf(target, sha);
    });
    const files = await each(paths, async (path) => {
      if (!isTreePath(path)) return missingFile(path, 'The path is not a valid file name.');
      const isFinal = ({ status }: { readonly status: string }) => status !== 'failed';
      return this.files.through(`${revision} ${path}`, () => blameFile(target, sha, path), isFinal);
    });
    return { files, recent: context.recent, ignored: ignoredRevs(context.ignoreText) };
  };

  readonly commits: CodeHost['commits'] = async (repository, shas, signal) => {
    const target = this.targetOf(repository, signal);
    const found = await each(shas, async (sha) => {
      const object = await this.commitObject(target, sha);
      return object === null ? [] : [mapCommit(object, await this.mergeRequest(target, sha))];
    });
    return found.flat();
  };

  private commitObject(target: Target, sha: string): Promise<CommitObject | null> {
    return this.details.through(this.key(target, sha), async () => {
      const answer = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}', { sha });
      const object = answer && read(commitSchema, answer.data);
      return object?.id === sha ? object : null;
    });
  }

  /** The tree of a revision that does not exist is empty, and so is the list of its commits. */
  private async requireCommit(target: Target, sha: string): Promise<void> {
    if ((await this.commitObject(target, sha)) === null) throw noRevision(sha, target.repository);
  }

  /** The merge request that brought the commit, merged ones first. */
  private mergeRequest(target: Target, sha: string): Promise<Commit['pull_request']> {
    return this.requests.through(this.key(target, sha), async () => {
      const route = 'GET /projects/{id}/repository/commits/{sha}/merge_requests';
      const answer = await askOrNull(target, route, { sha });
      const listed = answer === null ? [] : read(mergeRequests, answer.data);
      const first = listed.find(({ state }) => state === 'merged') ?? listed[0];
      return first ? { number: first.iid, url: first.web_url, title: first.title } : null;
    });
  }

  protected readDiff(target: Target, sha: string): Promise<Diff> {
    return diffOf(target, sha, async () => {
      const { additions = 0, deletions = 0 } = (await this.commitObject(target, sha))?.stats ?? {};
      return additions + deletions;
    });
  }

  readonly owners: OwnersReader = {
    file: async (repository, sha, signal) => {
      const target = this.targetOf(repository, signal);
      const { file } = await this.ownerFiles.through(this.key(target, sha), async () => {
        await this.requireCommit(target, sha);
        return { file: await readOwnersFile(target, sha) };
      });
      return file;
    },
  };

  protected async range(target: Target, from: string, to: string, most: number): Promise<CommitRange | null> {
    const both = await each([from, to], (sha) => this.commitObject(target, sha));
    return both.includes(null) ? null : commitRange(target, from, to, most);
  }
}
