import { isCulpritError } from '@culprit/core/connector';
import type { BlamedFile, BlameRange } from '@culprit/core/internal/ports/code-host';
import type { GitReader } from './client.js';
import { parseTree, readObjects, type TreeEntry } from './objects.js';
import { decode, isBinary, isoTime, isRepositoryPath, parseTimestamps, splitLines } from './text.js';

const HEADER = /^([0-9a-f]{40,64}) \d+ (\d+)(?: (\d+))?$/;
const TAB = 9;
const NEWLINE = 10;

/** Parses `git blame --porcelain`: ascending ranges, adjacent ones of the same commit merged. */
export function parseBlame(output: Buffer): readonly BlameRange[] {
  const times = new Map<string, string>();
  const starts: { readonly line: number; readonly sha: string }[] = [];
  let sha = '';
  for (let from = 0; from < output.length; ) {
    const found = output.indexOf(NEWLINE, from);
    const end = found < 0 ? output.length : found;
    if (output[from] !== TAB) {
      const line = output.toString('latin1', from, end);
      const header = HEADER.exec(line);
      if (header) {
        sha = header[1] ?? '';
        starts.push({ line: Number(header[2]), sha });
      } else if (line.startsWith('committer-time ')) {
        times.set(sha, isoTime(line.slice('committer-time '.length)));
      }
    }
    from = end + 1;
  }
  return mergeLines(starts, times);
}

function mergeLines(
  lines: readonly { readonly line: number; readonly sha: string }[],
  times: ReadonlyMap<string, string>,
): readonly BlameRange[] {
  const ranges: BlameRange[] = [];
  for (const { line, sha } of lines) {
    const last = ranges.at(-1);
    if (last && last.sha === sha && last.end === line - 1) {
      ranges[ranges.length - 1] = { ...last, end: line };
    } else {
      ranges.push({ start: line, end: line, sha, committed_at: times.get(sha) ?? isoTime('0') });
    }
  }
  return ranges;
}

const MAX_IGNORED = 10_000;

/** Commit names in a `.git-blame-ignore-revs`, possibly abbreviated, without comments. `cut`: the last line is incomplete. */
export function parseIgnoredNames(text: Buffer, cut: boolean): readonly string[] {
  const names = decode(text)
    .split('\n')
    .slice(0, cut ? -1 : undefined)
    .map((line) => line.replace(/#.*$/, '').trim().toLowerCase())
    .filter((name) => /^[0-9a-f]{7,64}$/.test(name));
  return [...new Set(names)].slice(0, MAX_IGNORED);
}

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
