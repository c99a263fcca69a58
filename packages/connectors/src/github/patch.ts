import type { DiffFile, DiffHunk } from '@culprit/core';
import type { RestFile } from './schema.js';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const STATUS: Readonly<Record<string, DiffFile['status']>> = {
  added: 'added',
  removed: 'removed',
  renamed: 'renamed',
  copied: 'added',
};

/** Maps one file of a REST commit. Without a patch (binary, too large) it has no hunks. */
export function diffFile({ filename, previous_filename, status, patch }: RestFile): DiffFile {
  return {
    path: filename,
    old_path: previous_filename ?? filename,
    status: STATUS[status] ?? 'modified',
    hunks: patch === undefined ? [] : hunks(patch),
  };
}

function hunks(patch: string): readonly DiffHunk[] {
  const found: (DiffHunk & { lines: string[] })[] = [];
  for (const line of patch.split('\n')) {
    const head = HUNK.exec(line);
    if (head) {
      found.push({
        old_start: Number(head[1]),
        old_lines: Number(head[2] ?? 1),
        new_start: Number(head[3]),
        new_lines: Number(head[4] ?? 1),
        section: head[5] ?? '',
        lines: [],
      });
    } else if (/^[ +-]/.test(line)) {
      found.at(-1)?.lines.push(line);
    }
  }
  return found;
}
