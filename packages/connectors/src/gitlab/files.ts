import {
  type Blame,
  type BlamedFile,
  type Diff,
  type DiffFile,
  isCulpritError,
  OWNERS_BYTES,
  OWNERS_PLACES,
  type OwnersFile,
} from '@culprit/core';
import { iso, type ListedFiles } from '../shared/hosts/code-host.js';
import { noRevision } from '../shared/hosts/errors.js';
import { folderEnds, missingFile, sourceLines } from '../shared/hosts/files.js';
import { ask, askOrNull, fileAt, firstPages, read, type Target } from './ask.js';
import { blame, commits, diffs, isCutOff, mapDiffFile, titleOf, tree as treeSchema } from './schema.js';

const HISTORY = 20;
const PER_PAGE = 100;
/** Git's own test: a file with a NUL among its first bytes is not text. */
const BINARY_BYTES = 8_000;

const isBinary = (bytes: Buffer) => bytes.subarray(0, BINARY_BYTES).includes(0);

/** One file at a revision that exists. Its content tells whether it is text, which blame does not. */
export async function blameFile(target: Target, sha: string, path: string): Promise<BlamedFile> {
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

/** A page of commits, newest first. */
export async function listCommits(target: Target, of: Parameters<typeof ask>[2]): Promise<Blame['recent']> {
  const { data } = await ask(target, 'GET /projects/{id}/repository/commits', of);
  return read(commits, data).map(({ id, committed_date, message }) => ({
    sha: id,
    committed_at: iso(committed_date),
    title: titleOf(message),
  }));
}

/** The last commits up to a revision, and the text of `.git-blame-ignore-revs`. */
export async function contextOf(
  target: Target,
  sha: string,
): Promise<{ readonly recent: Blame['recent']; readonly ignoreText: string }> {
  const recent = await listCommits(target, { ref_name: sha, per_page: PER_PAGE });
  const ignore = await fileAt(target, sha, '.git-blame-ignore-revs');
  return { recent, ignoreText: ignore instanceof Buffer ? ignore.toString('utf8') : '' };
}

/** The code owners file at a revision that exists. */
export async function readOwnersFile(target: Target, sha: string): Promise<OwnersFile | null> {
  for (const path of OWNERS_PLACES.gitlab) {
    const bytes = await fileAt(target, sha, path);
    if (bytes === null) continue;
    const isText = bytes !== 'too_large' && bytes.length < OWNERS_BYTES && !isBinary(bytes);
    return { path, dialect: 'gitlab', text: isText ? bytes.toString('utf8') : null };
  }
  return null;
}

/** 300 files. Further pages add nothing about a crash. */
const MOST_DIFF_PAGES = 3;

/**
 * What a commit changed. GitLab leaves files out at its limits without saying so, but then lists fewer changed lines than the
 * commit has: `changedLines` of it.
 */
export async function diffOf(
  target: Target,
  sha: string,
  changedLines: () => Promise<number>,
): Promise<Diff> {
  const route = 'GET /projects/{id}/repository/commits/{sha}/diff';
  const found = await firstPages(target, route, { sha, per_page: PER_PAGE }, MOST_DIFF_PAGES);
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
const MOST_TREE_PAGES = 200;
/** Folders of the crash's paths that are listed if the tree is larger. */
const MOST_FOLDERS = 40;
const TREE = { pagination: 'keyset', per_page: PER_PAGE };

/** All files at a revision by keyset pages, or the first of them. */
export async function listFiles(target: Target, sha: string): Promise<ListedFiles> {
  const of = { ...TREE, ref: sha, recursive: true };
  const found = await firstPages(target, 'GET /projects/{id}/repository/tree', of, MOST_TREE_PAGES);
  const { pages = [], more = false } = found ?? {};
  const submodules = pages.flatMap((page) => named(page, 'commit'));
  const known = submodules.length === 0 ? {} : { submodules };
  return { paths: pages.flatMap((page) => named(page, 'blob')).sort(), truncated: more, ...known };
}

/** The files of the folders that may contain the paths, wherever these begin. */
export async function listFolders(
  target: Target,
  sha: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folders = new Set(paths.flatMap(folderEnds));
  const files: string[] = [];
  for (const path of [...folders].slice(0, MOST_FOLDERS)) {
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/tree', { ...TREE, ref: sha, path });
    if (answer !== null) files.push(...named(answer.data, 'blob'));
  }
  return files;
}

function named(data: unknown, kind: 'blob' | 'commit'): readonly string[] {
  return read(treeSchema, data).flatMap(({ path, type }) => (type === kind ? [path] : []));
}
