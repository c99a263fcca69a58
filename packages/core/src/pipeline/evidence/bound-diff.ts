import type { Diff, DiffFile } from '../../ports/code-host.js';

const MOST_FILES = 300;
const MOST_LINES = 4_000;
/** More than is kept after scrubbing. */
const LINE_CHARS = 4_000;

/**
 * A diff small enough to store: wanted files first, then the others in order until the limit, the rest by name only. The
 * analysis sees the same diff, so evidence and draft agree.
 */
export function boundDiff(diff: Diff, wanted: (file: DiffFile) => boolean): Diff {
  let left = MOST_LINES;
  let cutAny = diff.truncated;
  const keep = (file: DiffFile): DiffFile => {
    const hunks = [];
    for (const hunk of file.hunks) {
      if (hunk.lines.length > left) {
        cutAny = true;
        break;
      }
      left -= hunk.lines.length;
      hunks.push({ ...hunk, lines: hunk.lines.map((line) => line.slice(0, LINE_CHARS)) });
    }
    return { ...file, hunks };
  };
  const kept = new Map<DiffFile, DiffFile>();
  for (const file of diff.files) if (wanted(file)) kept.set(file, keep(file));
  for (const file of diff.files) if (!kept.has(file)) kept.set(file, keep(file));
  const chosen = diff.files.filter((file, index) => index < MOST_FILES || wanted(file));
  return {
    sha: diff.sha,
    files: chosen.map((file) => kept.get(file) ?? file),
    truncated: cutAny || chosen.length < diff.files.length,
  };
}
