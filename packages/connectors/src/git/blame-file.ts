import { type BlamedFile, isCulpritError } from '@culprit/core';
import { parseBlame, parseTimestamps } from './blame.js';
import type { GitReader } from './client.js';
import { readObjects } from './objects.js';
import { decode, isBinary, isRepositoryPath, splitLines } from './text.js';
import { parseTree, type TreeEntry } from './tree.js';

const MAX = { history: 20, lines: 20_000, lineBytes: 2 * 1024 * 1024, blameBytes: 16 * 1024 * 1024 } as const;

type Verdict = Pick<BlamedFile, 'status' | 'detail'>;

/** The entries at these paths, by path. Paths that do not exist at the revision are omitted. */
export async function entriesOf(
  git: GitReader,
  sha: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  const asked = [...new Set(paths.filter(isRepositoryPath))];
  if (asked.length === 0) return new Map();
  const args = ['ls-tree', '-z', '-l', '--full-tree', sha, '--', ...asked];
  const output = await git.output(args);
  return new Map([...parseTree(output)].map((entry) => [entry.path, entry]));
}

/**
 * Blame of one file. A failure is part of the result; only an abort rejects. `onHistory` is called with the file's last
 * commits, which are usually known before its blame.
 */
export async function blameFile(
  git: GitReader,
  sha: string,
  path: string,
  entry: TreeEntry | undefined,
  onHistory: (history: BlamedFile['history']) => void = () => {},
): Promise<BlamedFile> {
  const verdict = judge(entry);
  if (verdict || !entry) return empty(path, verdict ?? missing);
  try {
    return await ask(git, sha, path, entry.oid, onHistory);
  } catch (error) {
    git.signal.throwIfAborted();
    if (!isCulpritError(error)) throw error;
    return empty(path, { status: 'failed', detail: error.message });
  }
}

async function ask(
  git: GitReader,
  sha: string,
  path: string,
  oid: string,
  onHistory: (history: BlamedFile['history']) => void,
): Promise<BlamedFile> {
  const content = await readContent(git, oid);
  if (isBinary(content)) return empty(path, { status: 'skipped', detail: 'The file is binary.' });
  const [blame, history] = await Promise.all([
    content.length === 0 ? content : git.output(['blame', '--porcelain', '--no-textconv', sha, '--', path]),
    readHistory(git, sha, path, onHistory),
  ]);
  return {
    path,
    status: 'ok',
    detail: null,
    ranges: parseBlame(blame),
    history,
    lines: linesOf(content),
  };
}

async function readHistory(
  git: GitReader,
  sha: string,
  path: string,
  onHistory: (history: BlamedFile['history']) => void,
): Promise<BlamedFile['history']> {
  const limits = ['--timestamp', '--no-merges', `--max-count=${MAX.history}`];
  const history = parseTimestamps(await git.output(['rev-list', ...limits, sha, '--', path]));
  onHistory(history);
  return history;
}

/** Rejects as a command would that cannot read the object. */
async function readContent(git: GitReader, oid: string): Promise<Buffer> {
  const [found] = await readObjects(git, [oid]);
  return found?.type === 'blob' ? found.content : git.output(['cat-file', 'blob', oid]);
}

const missing: Verdict = { status: 'missing', detail: 'The file is not in the repository at this revision.' };

/** `null`: the file can be blamed. */
function judge(entry: TreeEntry | undefined): Verdict | null {
  if (!entry || entry.kind === 'folder') return missing;
  if (entry.kind === 'submodule') return { status: 'skipped', detail: 'The path is a submodule.' };
  if (entry.kind === 'link') return { status: 'skipped', detail: 'The path is a symbolic link.' };
  if (entry.size === null) {
    return { status: 'failed', detail: 'The file’s content is missing: fetch the whole of a partial clone.' };
  }
  if (entry.size > MAX.blameBytes) {
    return { status: 'skipped', detail: `The file is larger than ${MAX.blameBytes / 1024 / 1024} MiB.` };
  }
  return null;
}

function linesOf(content: Buffer): readonly string[] | null {
  if (content.length > MAX.lineBytes) return null;
  const lines = splitLines(decode(content));
  return lines.length > MAX.lines ? null : lines;
}

function empty(path: string, verdict: Verdict): BlamedFile {
  return { path, ...verdict, ranges: [], history: [], lines: null };
}
