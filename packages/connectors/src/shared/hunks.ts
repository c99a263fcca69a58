import type { DiffHunk } from '@culprit/core';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** The hunks of one file's unified diff. Its header is skipped. */
export function readHunks(patch: string): readonly DiffHunk[] {
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
