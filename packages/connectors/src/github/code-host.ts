import {
  type Ancestry,
  type Blame,
  type BlamedFile,
  type CodeHost,
  type Commit,
  CulpritError,
  type Diff,
  type OwnersFile,
  type OwnersReader,
  type RevisionHints,
  type Tree,
} from '@culprit/core';
import * as v from 'valibot';
import { ofNamedRevision } from '../shared/known-revision.js';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { ignoredRevs } from '../shared/source-text.js';
import { isTreePath, missingFile } from '../shared/tree-path.js';
import {
  answered,
  answeredOrNull,
  askGraphql,
  askInHalves,
  type RepositoryName,
  repositoryName,
  unreadable,
} from './ask.js';
import type { BlameAnswer } from './blame.js';
import { blameInBatches, noRevision } from './blame-batches.js';
import type { GithubClient } from './client.js';
import { containsCommit } from './contains.js';
import type { DatedCommit } from './dated-commit.js';
import { firstRelease } from './first-release.js';
import { type Folder, filesInFolders } from './folders.js';
import { linkTemplates } from './links.js';
import { diffFile, mapCommit } from './map.js';
import { commitsQuery } from './queries.js';
import { commitRange } from './range.js';
import { previousRelease, releaseReader } from './releases.js';
import { type DatedRevision, resolveRevision } from './revision.js';
import { commitObject, gitTree, restCommit } from './schema.js';

/** GitHub omits the patches of the files after about 70 on a page, so pages are smaller. */
const DIFF_FILES_PER_PAGE = 50;
/** 300 files. Further pages add nothing about a crash. */
const MAX_DIFF_PAGES = 6;

type Listed = Pick<Tree, 'paths' | 'truncated' | 'submodules'>;

/** Blame and commits through GraphQL, trees and diffs through REST. Immutable answers are cached. */
export class GithubCodeHost implements CodeHost {
  /** Each is a REST request. From here on the first suspect is right as often as with 50: `docs/accuracy.md`. */
  readonly diffsAtMost = 25;
  private readonly revisions: Cache<DatedCommit>;
  private readonly trees: Cache<Listed>;
  private readonly folders: Cache<Folder>;
  private readonly files: Cache<BlamedFile>;
  private readonly contexts: Cache<Pick<BlameAnswer, 'recent' | 'ignoreText' | 'owners'>>;
  private readonly details: Cache<Commit>;
  private readonly diffs: Cache<Diff>;
  private readonly previous: Cache<NonNullable<Tree['previous_release']>>;
  private readonly readReleases = releaseReader();
  /** False after the first refusal: a token without Pull requests: read is not asked again. */
  private mayReadPullRequests = true;

  constructor(
    private readonly client: GithubClient,
    private readonly web: string,
    context: CacheContext,
  ) {
    const open = cachesOf(context, 'github');
    this.revisions = open('reachable.1', 256, IMMUTABLE);
    this.trees = open('tree', 8, { ...IMMUTABLE, local: true });
    this.folders = open('folder.1', 512, IMMUTABLE);
    this.files = open('blame.1', 512, IMMUTABLE);
    this.contexts = open('revision.2', 64, IMMUTABLE);
    this.details = open('commit', 2_000, GROWING);
    this.previous = open('release', 256, GROWING);
    this.diffs = open('diff.2', 256, IMMUTABLE);
  }

  async tree(repository: string, hints: RevisionHints, signal: AbortSignal): Promise<Tree> {
    signal.throwIfAborted();
    const target = repositoryName(this.client, repository, signal);
    const revision = await this.revision(target, hints);
    const links = linkTemplates(this.web, repository);
    const released = revision.how === 'tag' || revision.how === 'release';
    const previous_release = released ? await this.previousRelease(target, revision.sha) : null;
    const { paths, truncated, ...more } = await this.listed(target, revision.sha);
    if (!truncated) return { revision, previous_release, paths, truncated, ...more, links };
    const key = (folder: string) => `${this.key(repository, revision.sha)} ${folder}`;
    const others = await filesInFolders(target, revision.sha, hints.paths ?? [], { kept: this.folders, key });
    const all = [...new Set([...paths, ...others])].sort();
    return { revision, previous_release, paths: all, truncated, ...more, links };
  }

  /** The files that GitHub lists at once. */
  private async listed(target: RepositoryName, sha: string): Promise<Listed> {
    const key = this.key(target.repository, sha);
    const kept = await this.trees.get(key);
    if (kept) return kept;
    const { getTree } = this.client.rest.git;
    const { data } = await answered(target, getTree({ ...target.at, tree_sha: sha, recursive: '1' }));
    const { tree, truncated } = read(gitTree, data, unreadable);
    const named = (kind: string) =>
      tree.flatMap(({ path, type }) => (type === kind && path !== undefined ? [path] : []));
    const submodules = named('commit');
    const known = submodules.length === 0 ? {} : { submodules };
    const listed = { paths: named('blob').sort(), truncated, ...known };
    await this.trees.set(key, listed);
    return listed;
  }

  private revision(target: RepositoryName, hints: RevisionHints): Promise<DatedRevision> {
    const key = (sha: string) => this.key(target.repository, sha);
    return resolveRevision(target, hints, this.revisions, key, this.readReleases);
  }

  /** One feature of the ranking: if GitHub cannot tell, the analysis goes on without it. */
  private async previousRelease(
    target: RepositoryName,
    sha: string,
  ): Promise<NonNullable<Tree['previous_release']> | null> {
    const key = this.key(target.repository, sha);
    const kept = await this.previous.get(key);
    if (kept) return kept;
    try {
      const found = await previousRelease(target, sha, this.readReleases);
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
    signal.throwIfAborted();
    const target = repositoryName(this.client, repository, signal);
    const revision = this.key(repository, sha);
    const files = new Map<string, BlamedFile>();
    for (const path of paths) {
      const kept = isTreePath(path)
        ? await this.files.get(`${revision} ${path}`)
        : missingFile(path, 'The path is not a valid file name.');
      if (kept) files.set(path, kept);
    }
    let around = await this.contexts.get(revision);
    const unknown = paths.filter((path) => !files.has(path));
    const answers = unknown.length > 0 || !around ? await blameInBatches(target, sha, unknown) : [];
    for (const answer of answers) {
      for (const file of answer.files) {
        files.set(file.path, file);
        const settled = file.status !== 'failed' && answer.settled.has(file.path);
        if (settled) await this.files.set(`${revision} ${file.path}`, file);
      }
      if (around) continue;
      const { recent, ignoreText, owners, contextSettled } = answer;
      if (contextSettled) await this.contexts.set(revision, { recent, ignoreText, owners });
      if (contextSettled || answer === answers.at(-1)) around = { recent, ignoreText, owners };
    }
    const { recent = [], ignoreText = '' } = around ?? {};
    return {
      files: paths.flatMap((path) => files.get(path) ?? []),
      recent,
      ignored: ignoredRevs(ignoreText),
    };
  }

  readonly owners: OwnersReader = { file: (...question) => this.ownersFile(...question) };

  /** Part of the question about the revision, which blame has asked. */
  private async ownersFile(repository: string, sha: string, signal: AbortSignal): Promise<OwnersFile | null> {
    signal.throwIfAborted();
    const revision = this.key(repository, sha);
    const kept = await this.contexts.get(revision);
    if (kept) return kept.owners;
    const answers = await blameInBatches(repositoryName(this.client, repository, signal), sha, []);
    const settled = answers.find(({ contextSettled }) => contextSettled);
    if (settled === undefined)
      throw new CulpritError('code_host_unavailable', 'GitHub did not return the code owners file.');
    const { recent, ignoreText, owners } = settled;
    await this.contexts.set(revision, { recent, ignoreText, owners });
    return owners;
  }

  async commits(
    repository: string,
    shas: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Commit[]> {
    signal.throwIfAborted();
    const target = repositoryName(this.client, repository, signal);
    const found = new Map<string, Commit>();
    for (const sha of shas) {
      const kept = await this.details.get(this.key(repository, sha));
      if (kept) found.set(sha, kept);
    }
    for (const commit of await this.askCommits(
      target,
      shas.filter((sha) => !found.has(sha)),
    )) {
      found.set(commit.sha, commit);
      await this.details.set(this.key(repository, commit.sha), commit);
    }
    return shas.flatMap((sha) => found.get(sha) ?? []);
  }

  async diff(repository: string, sha: string, signal: AbortSignal): Promise<Diff> {
    signal.throwIfAborted();
    const key = this.key(repository, sha);
    const kept = await this.diffs.get(key);
    if (kept) return kept;
    if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) throw noRevision(sha, repository);
    const target = repositoryName(this.client, repository, signal);
    const files: Diff['files'][number][] = [];
    let more = true;
    let patchesMissing = false;
    for (let page = 1; more && page <= MAX_DIFF_PAGES; page++) {
      const { getCommit } = this.client.rest.repos;
      const asked = getCommit({ ...target.at, ref: sha, page, per_page: DIFF_FILES_PER_PAGE });
      const answer = await answeredOrNull(target, asked);
      if (answer === null) throw noRevision(sha, repository);
      const listed = read(restCommit, answer.data, unreadable).files;
      files.push(...listed.map(diffFile));
      patchesMissing ||= listed.some(({ patch, changes }) => patch === undefined && changes > 0);
      more = /rel="next"/.test(String(answer.headers.link ?? ''));
    }
    const diff = { sha, files, truncated: more || patchesMissing };
    await this.diffs.set(key, diff);
    return diff;
  }

  readonly ancestry: Ancestry = {
    contains: (...question) => this.contains(...question),
    range: async (repository, from, to, most, signal) => {
      signal.throwIfAborted();
      return commitRange(repositoryName(this.client, repository, signal), from, to, most);
    },
    firstRelease: (repository, commit, signal) =>
      firstRelease(repositoryName(this.client, repository, signal), commit),
  };

  private async contains(
    repository: string,
    commit: string,
    hints: RevisionHints,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    signal.throwIfAborted();
    const target = repositoryName(this.client, repository, signal);
    return ofNamedRevision(
      () => this.revision(target, hints),
      (sha) => containsCommit(target, sha, commit),
    );
  }

  /** Includes the host: an Enterprise server may have a repository of the same name. */
  private key(repository: string, sha: string): string {
    return `${this.web} ${repository} ${sha}`;
  }

  private async askCommits(target: RepositoryName, shas: readonly string[]): Promise<readonly Commit[]> {
    const answers = await askInHalves(shas, (some) => {
      const variables = Object.fromEntries(some.map((sha, index) => [`s${index}`, sha]));
      return askGraphql(target, commitsQuery(some.length, this.mayReadPullRequests), variables);
    });
    return answers.flatMap(({ items, answer: { data, errors } }) => {
      if (errors.some(({ type, path }) => type === 'FORBIDDEN' && path?.includes('associatedPullRequests')))
        this.mayReadPullRequests = false;
      const repository = (data?.repository ?? {}) as Record<string, unknown>;
      return items.flatMap((_, index) => {
        const parsed = v.safeParse(commitObject, repository[`c${index}`]);
        return parsed.success ? [mapCommit(parsed.output)] : [];
      });
    });
  }
}
