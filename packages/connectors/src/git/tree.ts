import { decode } from './text.js';

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
