const NEWLINE = 10;
const AT = 64;
const PLUS = 43;
const MINUS = 45;
const SPACE = 32;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** A header of a hunk is shorter, apart from the text after it. */
const HEADER_BYTES = 100;

/** Lines that a patch adds and removes. Hunks state how many lines follow, so content that looks like a header is content. */
export function countLines(patch: Buffer): { readonly additions: number; readonly deletions: number } {
  const counts = { additions: 0, deletions: 0 };
  let before = 0;
  let after = 0;
  for (let at = 0; at < patch.length; ) {
    const found = patch.indexOf(NEWLINE, at);
    const end = found < 0 ? patch.length : found;
    const kind = patch[at];
    if (before > 0 || after > 0) {
      if (kind === PLUS) counts.additions += 1;
      if (kind === MINUS) counts.deletions += 1;
      if (kind === PLUS || kind === SPACE) after -= 1;
      if (kind === MINUS || kind === SPACE) before -= 1;
    } else if (kind === AT) {
      const header = HUNK.exec(patch.toString('latin1', at, Math.min(end, at + HEADER_BYTES)));
      before = header === null ? 0 : Number(header[1] ?? 1);
      after = header === null ? 0 : Number(header[2] ?? 1);
    }
    at = end + 1;
  }
  return counts;
}
