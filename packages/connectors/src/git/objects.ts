import type { GitReader } from './client.js';
import { decode, FULL_SHA } from './text.js';

/** An object as `git cat-file --batch` prints it. */
interface GitObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly content: Buffer;
}

/** `names`: full SHAs, or `sha:path` with a known path; one line each. `null` for what does not exist. */
export async function readObjects(
  git: GitReader,
  names: readonly string[],
): Promise<readonly (GitObject | null)[]> {
  if (names.length === 0) return [];
  return parseObjects(await git.ask('objects', names), names.length);
}

const HEADER = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/;
const NEWLINE = 10;

/** The first `count` objects of the output. Of one that is truncated, what there is. */
export function parseObjects(output: Buffer, count: number): readonly (GitObject | null)[] {
  const objects: (GitObject | null)[] = [];
  let at = 0;
  while (objects.length < count && at < output.length) {
    const end = output.indexOf(NEWLINE, at);
    const line = output.toString('utf8', at, end < 0 ? output.length : end);
    at = end < 0 ? output.length : end + 1;
    const [, oid, type, size] = HEADER.exec(line) ?? [];
    if (oid === undefined || type === undefined) {
      objects.push(null);
      continue;
    }
    objects.push({ oid, type: type as GitObject['type'], content: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return objects;
}

/** Parents by commit, of those names that are commits of the repository. */
export async function parentsOf(
  git: GitReader,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const full = [...new Set(names)].filter((name) => FULL_SHA.test(name));
  const objects = await readObjects(git, full);
  return new Map(
    objects.flatMap((object, index) => {
      const name = full[index] ?? '';
      return object?.type === 'commit' && object.oid === name ? [[name, parentsIn(object.content)]] : [];
    }),
  );
}

/** The header of a commit ends at its first empty line. */
function parentsIn(commit: Buffer): readonly string[] {
  const end = commit.indexOf('\n\n');
  const header = commit.toString('latin1', 0, end < 0 ? commit.length : end);
  return [...header.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, parent = '']) => parent);
}

export interface TreeEntry {
  readonly kind: 'file' | 'link' | 'submodule' | 'folder';
  readonly oid: string;
  /** Bytes; `null` if git does not know them (a missing object, a folder). */
  readonly size: number | null;
  readonly path: string;
}

const ENTRY = /^(\d{6}) (\w+) ([0-9a-f]{40,64})(?: +(\d+|-|BAD))?$/;

/** Parses `git ls-tree -z`, with or without sizes. A truncated last entry is dropped. */
export function* parseTree(output: Buffer): Generator<TreeEntry> {
  for (let from = 0; ; ) {
    const end = output.indexOf(0, from);
    if (end < 0) return;
    const entry = output.subarray(from, end);
    const tab = entry.indexOf(9);
    const match = tab < 0 ? null : ENTRY.exec(entry.toString('latin1', 0, tab));
    if (match) {
      const [, mode = '', type = '', oid = '', size] = match;
      yield {
        kind: kindOf(mode, type),
        oid,
        size: size !== undefined && /^\d/.test(size) ? Number(size) : null,
        path: decode(entry.subarray(tab + 1)),
      };
    }
    from = end + 1;
  }
}

function kindOf(mode: string, type: string): TreeEntry['kind'] {
  if (type === 'commit') return 'submodule';
  if (type === 'tree') return 'folder';
  return mode === '120000' ? 'link' : 'file';
}
