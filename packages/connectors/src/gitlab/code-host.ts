import {
  type Blame,
  type CodeHost,
  type Commit,
  type Diff,
  isCulpritError,
  type Tree,
} from '@culprit/core/connector';
import { OWNERS_BYTES, OWNERS_PLACES } from '@culprit/core/internal/domain/ownership';
import type {
  BlamedFile,
  CommitRange,
  DiffFile,
  OwnersFile,
  OwnersReader,
} from '@culprit/core/internal/ports/code-host';
import type { MirrorSource } from '../git/index.js';
import { iso, type ListedFiles, RestCodeHost } from '../shared/hosts/code-host.js';
import { noRevision } from '../shared/hosts/errors.js';
import { folderEnds, ignoredRevs, isTreePath, missingFile, sourceLines } from '../shared/hosts/files.js';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../shared/open-cache.js';
import {
  ask,
  askOrNull,
  each,
  fileAt,
  firstPages,
  type GitlabClient,
  read,
  type Target,
  targetOf,
} from './ask.js';
import {
  commitRange,
  containsCommit,
  firstRelease,
  gitlabRevisions,
  listCommits,
  previousRelease,
} from './releases.js';
import {
  blame,
  type CommitObject,
  commit as commitSchema,
  diffs,
  isCutOff,
  mapCommit,
  mapDiffFile,
  mergeRequests,
  projectSource,
  tree as treeSchema,
} from './schema.js';

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

const HISTORY = 20;
const PER_PAGE = 100;
/** Git's own test: a file with a NUL among its first bytes is not text. */
const BINARY_BYTES = 8_000;

const isBinary = (bytes: Buffer) => bytes.subarray(0, BINARY_BYTES).includes(0);

/** One file at a revision that exists. Its content shows whether it is text, which blame does not. */
async function blameFile(target: Target, sha: string, path: string): Promise<BlamedFile> {
  const bytes = await fileAt(target, sha, path);
  if (bytes === null) return missingFile(path, 'The file does not exist at the crashed revision.');
  const last = await listCommits(target, { ref_name: sha, path, per_page: HISTORY });
  const history = last.map(({ sha, committed_at }) => ({ sha, committed_at }));
  const found = { path, ranges: [], history, lines: null };
  if (bytes === 'too_large') return { ...found, status: 'skipped', detail: 'The file is too large.' };
  if (isBinary(bytes)) return { ...found, status: 'skipped', detail: 'The file is not text.' };
  const lines = sourceLines(bytes.toString('utf8'));
  try {
    const answer = await ask(target, 'GET /projects/{id}/repository/files/{file_path}/blame', {
      file_path: path,
      ref: sha,
    });
    return { ...found, status: 'ok', detail: null, lines, ranges: rangesOf(answer.data) };
  } catch (error) {
    // GitLab gives up on files whose blame takes too long. The other files are not affected.
    if (!isCulpritError(error, 'code_host_unavailable') || error.retryAfterMs !== undefined) throw error;
    return { ...found, status: 'failed', detail: `GitLab returned no blame. ${error.message}`, lines };
  }
}

/** GitLab lists groups of lines without their numbers, and splits a commit's lines at most by other commits'. */
function rangesOf(data: unknown): BlamedFile['ranges'] {
  const ranges: BlamedFile['ranges'][number][] = [];
  let line = 1;
  for (const { commit, lines } of read(blame, data)) {
    if (lines.length === 0) continue;
    const end = line + lines.length - 1;
    ranges.push({ start: line, end, sha: commit.id, committed_at: iso(commit.committed_date) });
    line = end + 1;
  }
  return ranges;
}

/** The last commits up to a revision, and the text of `.git-blame-ignore-revs`. */
async function contextOf(
  target: Target,
  sha: string,
): Promise<{ readonly recent: Blame['recent']; readonly ignoreText: string }> {
  const recent = await listCommits(target, { ref_name: sha, per_page: PER_PAGE });
  const ignore = await fileAt(target, sha, '.git-blame-ignore-revs');
  return { recent, ignoreText: ignore instanceof Buffer ? ignore.toString('utf8') : '' };
}

/** The code owners file at a revision that exists. */
async function readOwnersFile(target: Target, sha: string): Promise<OwnersFile | null> {
  for (const path of OWNERS_PLACES.gitlab) {
    const bytes = await fileAt(target, sha, path);
    if (bytes === null) continue;
    const isText = bytes !== 'too_large' && bytes.length < OWNERS_BYTES && !isBinary(bytes);
    return { path, dialect: 'gitlab', text: isText ? bytes.toString('utf8') : null };
  }
  return null;
}

/** 300 files. Further pages add nothing about a crash. */
const MAX_DIFF_PAGES = 3;

/**
 * What a commit changed. GitLab leaves files out at its limits without saying so, but then lists fewer changed lines than the
 * commit has: `changedLines` of it.
 */
async function diffOf(target: Target, sha: string, changedLines: () => Promise<number>): Promise<Diff> {
  const route = 'GET /projects/{id}/repository/commits/{sha}/diff';
  const found = await firstPages(target, route, { sha, per_page: PER_PAGE }, MAX_DIFF_PAGES);
  if (found === null) throw noRevision(sha, target.repository);
  const listed = found.pages.flatMap((page) => read(diffs, page));
  const files = listed.map(mapDiffFile);
  const cutOff = found.more || listed.some(isCutOff);
  return { sha, files, truncated: cutOff || linesIn(files) < (await changedLines()) };
}

function linesIn(files: readonly DiffFile[]): number {
  const changed = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
  return changed.filter((line) => !line.startsWith(' ')).length;
}

/** 20,000 files and folders. Each page is a request that waits for the one before. */
const MAX_TREE_PAGES = 200;
/** Folders of the crash's paths that are listed if the tree is larger. */
const MAX_FOLDERS = 40;
const TREE = { pagination: 'keyset', per_page: PER_PAGE };

/** All files at a revision by keyset pages, or the first of them. */
async function listFiles(target: Target, sha: string): Promise<ListedFiles> {
  const of = { ...TREE, ref: sha, recursive: true };
  const found = await firstPages(target, 'GET /projects/{id}/repository/tree', of, MAX_TREE_PAGES);
  const { pages = [], more = false } = found ?? {};
  const submodules = pages.flatMap((page) => named(page, 'commit'));
  const known = submodules.length === 0 ? {} : { submodules };
  return { paths: pages.flatMap((page) => named(page, 'blob')).sort(), truncated: more, ...known };
}

/** The files of the folders that may contain the paths, wherever these begin. */
async function listFolders(
  target: Target,
  sha: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folders = new Set(paths.flatMap(folderEnds));
  const files: string[] = [];
  for (const path of [...folders].slice(0, MAX_FOLDERS)) {
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/tree', { ...TREE, ref: sha, path });
    if (answer !== null) files.push(...named(answer.data, 'blob'));
  }
  return files;
}

function named(data: unknown, kind: 'blob' | 'commit'): readonly string[] {
  return read(treeSchema, data).flatMap(({ path, type }) => (type === kind ? [path] : []));
}

/** Where git fetches a project, and its size. Moved ones are found. A token is a password, whoever the user is. */
export async function mirrorSource(
  client: GitlabClient,
  { url, token, repository }: Readonly<Record<'url' | 'token' | 'repository', string>>,
): Promise<MirrorSource> {
  const target = targetOf(client, repository, new AbortController().signal);
  const found = read(projectSource, (await ask(target, 'GET /projects/{id}', { statistics: true })).data);
  return {
    url: `${url}/${found.path_with_namespace}.git`,
    authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`,
    branch: found.default_branch ?? 'main',
    format: found.repository_object_format === 'sha256' ? 'sha256' : 'sha1',
    megabytes: (found.statistics?.repository_size ?? 0) / 1_000_000,
  };
}
