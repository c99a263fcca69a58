import type {
  Ancestry,
  Blame,
  BlamedFile,
  CodeHost,
  Commit,
  Diff,
  OwnersFile,
  OwnersReader,
  RevisionHints,
  Tree,
} from '@culprit/core';
import { ofNamedRevision } from '../shared/known-revision.js';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { ignoredRevs } from '../shared/source-text.js';
import { isTreePath, missingFile } from '../shared/tree-path.js';
import { askOrNull, each, type Target, targetOf } from './ask.js';
import { blameFile, contextOf } from './blame.js';
import type { GitlabClient } from './client.js';
import { diffOf } from './diff.js';
import { noRevision, unreadable } from './errors.js';
import { firstRelease } from './first-release.js';
import { mapCommit } from './map.js';
import { readOwnersFile } from './owners.js';
import { commitRange } from './range.js';
import { containsCommit, type DatedCommit, previousRelease } from './releases.js';
import { type DatedRevision, resolveRevision } from './revision.js';
import { type CommitObject, commit as commitSchema, mergeRequests } from './schema.js';
import { listFiles, listFolders } from './tree.js';

type Context = Awaited<ReturnType<typeof contextOf>>;

/** Everything by REST, one object for each request, a few at a time. Immutable answers are cached. */
export class GitlabCodeHost implements CodeHost {
  /** Each is a request. */
  readonly diffsAtMost = 25;
  private readonly revisions: Cache<DatedCommit>;
  private readonly trees: Cache<Pick<Tree, 'paths' | 'truncated'>>;
  private readonly files: Cache<BlamedFile>;
  private readonly contexts: Cache<Context>;
  private readonly details: Cache<CommitObject>;
  private readonly requests: Cache<NonNullable<Commit['pull_request']>>;
  private readonly diffs: Cache<Diff>;
  private readonly ownerFiles: Cache<{ readonly file: OwnersFile | null }>;
  private readonly previous: Cache<NonNullable<Tree['previous_release']>>;

  constructor(
    private readonly client: GitlabClient,
    /** Base address of the server. */
    private readonly web: string,
    context: CacheContext,
  ) {
    const open = cachesOf(context, 'gitlab');
    this.revisions = open('reachable.1', 256, IMMUTABLE);
    this.trees = open('tree', 8, { ...IMMUTABLE, local: true });
    this.files = open('blame.1', 512, IMMUTABLE);
    this.ownerFiles = open('owners.1', 64, IMMUTABLE);
    this.contexts = open('revision.1', 64, IMMUTABLE);
    this.details = open('commit.1', 2_000, IMMUTABLE);
    this.requests = open('merge-request', 2_000, GROWING);
    this.previous = open('release', 256, GROWING);
    this.diffs = open('diff.1', 256, IMMUTABLE);
  }

  async tree(repository: string, hints: RevisionHints, signal: AbortSignal): Promise<Tree> {
    const target = targetOf(this.client, repository, signal);
    const revision = await this.revision(target, hints);
    const named = revision.how === 'tag' || revision.how === 'release';
    const previous_release = named ? await this.previousRelease(target, revision.sha) : null;
    const { paths, truncated, ...more } = await this.listed(target, revision.sha);
    const links = this.links(target);
    if (!truncated) return { revision, previous_release, paths, truncated, ...more, links };
    const others = await listFolders(target, revision.sha, hints.paths ?? []);
    const all = [...new Set([...paths, ...others])].sort();
    return { revision, previous_release, paths: all, truncated, ...more, links };
  }

  private async listed(
    target: Target,
    sha: string,
  ): Promise<Pick<Tree, 'paths' | 'truncated' | 'submodules'>> {
    const key = this.key(target, sha);
    const listed = (await this.trees.get(key)) ?? (await listFiles(target, sha));
    await this.trees.set(key, listed);
    return listed;
  }

  /** An issue that contains a merge request's address writes a reference into it, so drafts only name merge requests. */
  private links({ id }: Target): Tree['links'] {
    const base = `${this.web}/${id}/-`;
    return {
      commit: `${base}/commit/{sha}`,
      line: `${base}/blob/{sha}/{path}#L{line}`,
      pull_request: null,
    };
  }

  private revision(target: Target, hints: RevisionHints): Promise<DatedRevision> {
    return resolveRevision(target, hints, this.revisions, (sha) => this.key(target, sha));
  }

  /** One feature of the ranking: if GitLab cannot tell, the analysis goes on without it. */
  private async previousRelease(
    target: Target,
    sha: string,
  ): Promise<NonNullable<Tree['previous_release']> | null> {
    const key = this.key(target, sha);
    const kept = await this.previous.get(key);
    if (kept) return kept;
    try {
      const found = await previousRelease(target, sha);
      if (found) await this.previous.set(key, found);
      return found;
    } catch {
      target.signal.throwIfAborted();
      return null;
    }
  }

  async blame(
    repository: string,
    sha: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Blame> {
    const target = targetOf(this.client, repository, signal);
    const revision = this.key(target, sha);
    let context = await this.contexts.get(revision);
    if (context === undefined) {
      // The tree of a revision that does not exist is empty, and so is the list of its commits.
      if ((await this.commitObject(target, sha)) === null) throw noRevision(sha, repository);
      context = await contextOf(target, sha);
      await this.contexts.set(revision, context);
    }
    const files = await each(paths, async (path) => {
      if (!isTreePath(path)) return missingFile(path, 'The path is not a valid file name.');
      const key = `${revision} ${path}`;
      const kept = await this.files.get(key);
      if (kept) return kept;
      const found = await blameFile(target, sha, path);
      if (found.status !== 'failed') await this.files.set(key, found);
      return found;
    });
    return { files, recent: context.recent, ignored: ignoredRevs(context.ignoreText) };
  }

  async commits(
    repository: string,
    shas: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Commit[]> {
    const target = targetOf(this.client, repository, signal);
    const found = await each(shas, async (sha) => {
      const object = await this.commitObject(target, sha);
      return object === null ? [] : [mapCommit(object, await this.mergeRequest(target, sha))];
    });
    return found.flat();
  }

  private async commitObject(target: Target, sha: string): Promise<CommitObject | null> {
    const key = this.key(target, sha);
    const kept = await this.details.get(key);
    if (kept) return kept;
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}', { sha });
    if (answer === null) return null;
    const object = read(commitSchema, answer.data, unreadable);
    if (object.id !== sha) return null;
    await this.details.set(key, object);
    return object;
  }

  /** The merge request that brought the commit, merged ones first. */
  private async mergeRequest(target: Target, sha: string): Promise<Commit['pull_request']> {
    const key = this.key(target, sha);
    const kept = await this.requests.get(key);
    if (kept) return kept;
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}/merge_requests', {
      sha,
    });
    const listed = answer === null ? [] : read(mergeRequests, answer.data, unreadable);
    const first = listed.find(({ state }) => state === 'merged') ?? listed[0];
    if (!first) return null;
    const found = { number: first.iid, url: first.web_url, title: first.title };
    await this.requests.set(key, found);
    return found;
  }

  async diff(repository: string, sha: string, signal: AbortSignal): Promise<Diff> {
    const target = targetOf(this.client, repository, signal);
    const key = this.key(target, sha);
    const kept = await this.diffs.get(key);
    if (kept) return kept;
    const diff = await diffOf(target, sha, async () => {
      const { additions = 0, deletions = 0 } = (await this.commitObject(target, sha))?.stats ?? {};
      return additions + deletions;
    });
    await this.diffs.set(key, diff);
    return diff;
  }

  readonly owners: OwnersReader = {
    file: async (repository, sha, signal) => {
      const target = targetOf(this.client, repository, signal);
      const key = this.key(target, sha);
      const kept = await this.ownerFiles.get(key);
      if (kept) return kept.file;
      if ((await this.commitObject(target, sha)) === null) throw noRevision(sha, repository);
      const file = await readOwnersFile(target, sha);
      await this.ownerFiles.set(key, { file });
      return file;
    },
  };

  readonly ancestry: Ancestry = {
    contains: (...question) => this.contains(...question),
    range: async (repository, from, to, most, signal) => {
      const target = targetOf(this.client, repository, signal);
      const both = await each([from, to], (sha) => this.commitObject(target, sha));
      return both.includes(null) ? null : commitRange(target, from, to, most);
    },
    firstRelease: (repository, commit, signal) =>
      firstRelease(targetOf(this.client, repository, signal), commit),
  };

  private async contains(
    repository: string,
    commit: string,
    hints: RevisionHints,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const target = targetOf(this.client, repository, signal);
    return ofNamedRevision(
      () => this.revision(target, hints),
      (sha) => containsCommit(target, sha, commit),
    );
  }

  /** Includes the server: two servers may have projects of the same name. */
  private key({ id }: Target, sha: string): string {
    return `${this.web} ${id} ${sha}`;
  }
}
