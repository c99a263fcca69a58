import type { BlamedFile, DiffHunk } from '@culprit/core/internal/ports/code-host';

/** Beyond these limits a file's lines are omitted; its blame is still returned. */
const MAX_LINES = 20_000;
const MAX_TEXT = 2 * 1024 * 1024;

/** The lines of a source file, without their ends; `null` if it is not text, or too large. */
export function sourceLines(text: string | null | undefined): readonly string[] | null {
  if (typeof text !== 'string' || text.length > MAX_TEXT) return null;
  if (text === '') return [];
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  return lines.length > MAX_LINES ? null : lines;
}

/** Full SHAs in `.git-blame-ignore-revs`. Comments and abbreviated SHAs are ignored, as in git. */
export function ignoredRevs(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(line));
}

/** Whether the path can exist in a tree. */
export function isTreePath(path: string): boolean {
  return path !== '' && !path.includes('\0') && !/(^|\/)(\.{1,2})?(\/|$)/.test(path);
}

/** The folders that a path's own folder may be, if the path began outside the repository: `a/b` and `b` of `a/b/c.js`. */
export function folderEnds(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(index).join('/'));
}

/** The entry of a file that does not exist; `detail` says why. */
export function missingFile(path: string, detail: string): BlamedFile {
  return { path, status: 'missing', detail, ranges: [], history: [], lines: null };
}

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
