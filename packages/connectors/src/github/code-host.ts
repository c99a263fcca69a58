import {
  type CodeHost,
  type Commit,
  CulpritError,
  type Diff,
  type RevisionHints,
  type Tree,
} from '@culprit/core/connector';
import type { OwnersFile, OwnersReader } from '@culprit/core/internal/ports/code-host';
import { batchesOf } from '@culprit/core/internal/resilience/batches';
import * as v from 'valibot';
import {
  type ListedFiles,
  type NamedCommit,
  type PreviousRelease,
  RestCodeHost,
  type RevisionReader,
} from '../shared/hosts/code-host.js';
import { noRevision } from '../shared/hosts/errors.js';
import { folderEnds, ignoredRevs, isTreePath, missingFile } from '../shared/hosts/files.js';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../shared/open-cache.js';
import {
  answered,
  answeredOrNull,
  askGraphql,
  askInHalves,
  membersOf,
  numbered,
  read,
  type Target,
  targetOf,
} from './ask.js';
import { type BlameAnswer, blameInBatches } from './blame.js';
import type { GithubClient } from './client.js';
import { linkTemplates } from './config.js';
import { commitsQuery, foldersQuery } from './queries.js';
import { commitOfRelease, firstRelease, previousRelease, releaseReader } from './releases.js';
import { commitRange, containsCommit, githubRevisions } from './revision.js';
import { commitObject, diffFile, gitTree, mapCommit, restCommit, treeObject } from './schema.js';

/** GitHub omits the patches of the files after about 70 on a page, so pages are smaller. */
const DIFF_FILES_PER_PAGE = 50;
/** 300 files. Further pages add nothing about a crash. */
const MAX_DIFF_PAGES = 6;
/** Folders that are read for one crash, besides the root. */
const MAX_FOLDERS = 120;
const FOLDERS_AT_ONCE = 40;

/** Names of the files and folders in one folder; both empty if there is no such folder. */
interface Folder {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}
type Context = Pick<BlameAnswer, 'recent' | 'ignoreText' | 'owners'>;

/** Blame and commits through GraphQL, trees and diffs through REST. */
export class GithubCodeHost extends RestCodeHost<Target> {
  private readonly folders: Cache<Folder>;
  private readonly contexts: Cache<Context>;
  private readonly details: Cache<Commit>;
  private readonly readReleases = releaseReader();
  /** False after the first refusal: a token without Pull requests: read is not asked again. */
  private mayReadPullRequests = true;

  constructor(
    private readonly client: GithubClient,
    web: string,
    context: CacheContext,
  ) {
    super(web, context, 'github');
    const open = cachesOf(context, 'github');
    this.folders = open('folder.1', 512, IMMUTABLE);
    this.contexts = open('revision.2', 64, IMMUTABLE);
    this.details = open('commit', 2_000, GROWING);
  }

  protected readonly containsCommit = containsCommit;
  protected readonly range = commitRange;
  protected readonly firstRelease = firstRelease;

  protected targetOf(repository: string, signal: AbortSignal): Target {
    return targetOf(this.client, repository, signal);
  }

  protected revisionReader(
    target: Target,
    hints: RevisionHints,
    named: readonly NamedCommit[],
    forms: readonly string[],
  ): RevisionReader {
    return githubRevisions(target, hints, named, forms, async (some) =>
      commitOfRelease(await this.readReleases(target, ''), some),
    );
  }

  protected previousRelease(target: Target, sha: string): Promise<PreviousRelease | null> {
    return previousRelease(target, sha, this.readReleases);
  }

  protected links({ repository }: Target): Tree['links'] {
    return linkTemplates(this.web, repository);
  }

  /** The files that GitHub lists at once. */
  protected async listFiles(target: Target, sha: string): Promise<ListedFiles> {
    const { getTree } = this.client.rest.git;
    const { data } = await answered(target, getTree({ ...target.at, tree_sha: sha, recursive: '1' }));
    const { tree, truncated } = read(gitTree, data);
    const named = (kind: string) =>
      tree.flatMap(({ path, type }) => (type === kind && path !== undefined ? [path] : []));
    const submodules = named('commit');
    const known = submodules.length === 0 ? {} : { submodules };
    return { paths: named('blob').sort(), truncated, ...known };
  }

  /** A path can start anywhere (`/srv/app/packages/cart.js`), so the folder of each of its ends counts that starts at the root. */
  protected async listFolders(
    target: Target,
    sha: string,
    paths: readonly string[],
  ): Promise<readonly string[]> {
    const root = await this.readFolders(target, sha, ['']);
    const top = new Set(root.get('')?.folders);
    const wanted = new Set(paths.flatMap(folderEnds).filter((folder) => top.has(folder.split('/')[0] ?? '')));
    const others = await this.readFolders(target, sha, [...wanted].slice(0, MAX_FOLDERS));
    return [...root, ...others].flatMap(([folder, { files }]) =>
      files.map((name) => (folder === '' ? name : `${folder}/${name}`)),
    );
  }

  private async readFolders(
    target: Target,
    sha: string,
    folders: readonly string[],
  ): Promise<ReadonlyMap<string, Folder>> {
    const key = (folder: string) => `${this.key(target, sha)} ${folder}`;
    const found = await this.folders.known(folders, key);
    const unknown = folders.filter((folder) => !found.has(folder));
    for (const batch of batchesOf(unknown, FOLDERS_AT_ONCE)) {
      const answers = await askInHalves(batch, (some) => {
        const places = some.map((folder) => `${sha}:${folder}`);
        return askGraphql(target, foldersQuery(some.length), numbered('f', places));
      });
      for (const { items, answer } of answers) {
        const repository = membersOf(answer);
        for (const [index, folder] of items.entries()) {
          const entries = folderOf(repository[`f${index}`]);
          found.set(folder, entries);
          if (answer.errors.length === 0) await this.folders.set(key(folder), entries);
        }
      }
    }
    return found;
  }

  readonly blame: CodeHost['blame'] = async (repository, sha, paths, signal) => {
    const target = this.targetOf(repository, signal);
    const revision = this.key(target, sha);
    const key = (path: string) => `${revision} ${path}`;
    const files = await this.files.known(paths.filter(isTreePath), key);
    for (const path of paths.filter((one) => !isTreePath(one)))
      files.set(path, missingFile(path, 'The path is not a valid file name.'));
    const kept = await this.contexts.get(revision);
    const unknown = paths.filter((path) => !files.has(path));
    const answers = unknown.length > 0 || !kept ? await blameInBatches(target, sha, unknown) : [];
    for (const { files: blamed, settled } of answers) {
      for (const file of blamed) {
        files.set(file.path, file);
        if (file.status !== 'failed' && settled.has(file.path)) await this.files.set(key(file.path), file);
      }
    }
    const context = kept ?? (await this.keepContext(revision, answers)) ?? answers.at(-1);
    const { recent = [], ignoreText = '' } = context ?? {};
    return {
      files: paths.flatMap((path) => files.get(path) ?? []),
      recent,
      ignored: ignoredRevs(ignoreText),
    };
  };

  /** Keeps what the first complete answer says around the files. `undefined`: none is complete. */
  private async keepContext(revision: string, answers: readonly BlameAnswer[]): Promise<Context | undefined> {
    const settled = answers.find(({ contextSettled }) => contextSettled);
    if (settled === undefined) return undefined;
    const { recent, ignoreText, owners } = settled;
    await this.contexts.set(revision, { recent, ignoreText, owners });
    return settled;
  }

  /** Part of the question about the revision, which blame has asked. */
  readonly owners: OwnersReader = {
    file: async (repository, sha, signal): Promise<OwnersFile | null> => {
      const target = this.targetOf(repository, signal);
      const revision = this.key(target, sha);
      const kept = await this.contexts.get(revision);
      const context = kept ?? (await this.keepContext(revision, await blameInBatches(target, sha, [])));
      if (context === undefined)
        throw new CulpritError('code_host_unavailable', 'GitHub did not return the code owners file.');
      return context.owners;
    },
  };

  readonly commits: CodeHost['commits'] = async (repository, shas, signal) => {
    const target = this.targetOf(repository, signal);
    const key = (sha: string) => this.key(target, sha);
    const found = await this.details.known(shas, key);
    const unknown = shas.filter((sha) => !found.has(sha));
    for (const commit of await this.askCommits(target, unknown)) {
      found.set(commit.sha, commit);
      await this.details.set(key(commit.sha), commit);
    }
    return shas.flatMap((sha) => found.get(sha) ?? []);
  };

  private async askCommits(target: Target, shas: readonly string[]): Promise<readonly Commit[]> {
    const answers = await askInHalves(shas, (some) =>
      askGraphql(target, commitsQuery(some.length, this.mayReadPullRequests), numbered('s', some)),
    );
    return answers.flatMap(({ items, answer }) => {
      const isRefused = answer.errors.some(
        ({ type, path }) => type === 'FORBIDDEN' && path?.includes('associatedPullRequests'),
      );
      if (isRefused) this.mayReadPullRequests = false;
      const repository = membersOf(answer);
      return items.flatMap((_, index) => {
        const parsed = v.safeParse(commitObject, repository[`c${index}`]);
        return parsed.success ? [mapCommit(parsed.output)] : [];
      });
    });
  }

  protected async readDiff(target: Target, sha: string): Promise<Diff> {
    const { getCommit } = this.client.rest.repos;
    const files: Diff['files'][number][] = [];
    let more = true;
    let patchesMissing = false;
    for (let page = 1; more && page <= MAX_DIFF_PAGES; page++) {
      const asked = getCommit({ ...target.at, ref: sha, page, per_page: DIFF_FILES_PER_PAGE });
      const answer = await answeredOrNull(target, asked);
      if (answer === null) throw noRevision(sha, target.repository);
      const listed = read(restCommit, answer.data).files;
      files.push(...listed.map(diffFile));
      patchesMissing ||= listed.some(({ patch, changes }) => patch === undefined && changes > 0);
      more = /rel="next"/.test(String(answer.headers.link ?? ''));
    }
    return { sha, files, truncated: more || patchesMissing };
  }
}

function folderOf(object: unknown): Folder {
  const parsed = v.safeParse(treeObject, object);
  const entries = parsed.success ? parsed.output.entries : [];
  const named = (kind: string) => entries.flatMap(({ name, type }) => (type === kind ? [name] : []));
  return { files: named('blob'), folders: named('tree') };
}
