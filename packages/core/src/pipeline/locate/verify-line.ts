import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { squash } from '../rank/formatting.js';

/** How far a line may have moved between the build and the revision. */
const DRIFT_LINES = 60;
const SNIP = '{snip}';

/**
 * Compares the reported source line with the file. If it is not at the reported line but exactly once within 60 lines, the
 * frame is moved there. `verified`: what a frame is whose line was found.
 */
export function verifyLine(
  located: LocatedFrame,
  frame: Frame | undefined,
  lines: readonly string[] | null,
  verified: true | null = true,
): LocatedFrame {
  const reported = frame?.context_line ?? null;
  if (lines === null || reported === null || !isComparable(reported)) return located;
  const equal = matcher(reported);
  if (equal(lines[located.line - 1])) return { ...located, verified };
  let moved: number | null = null;
  for (let offset = 1; offset <= DRIFT_LINES; offset++) {
    for (const line of [located.line - offset, located.line + offset]) {
      if (!equal(lines[line - 1])) continue;
      if (moved !== null) return { ...located, verified: false };
      moved = line;
    }
  }
  return moved === null ? { ...located, verified: false } : { ...located, line: moved, verified };
}

/** False for a line without a word, which occurs everywhere, and for a redacted line, which cannot be compared. */
function isComparable(line: string): boolean {
  return /\w/.test(line) && !line.includes('[redacted');
}

/** SDKs and limits truncate long lines and mark the cut with `{snip}` or `…`. */
function matcher(reported: string): (line: string | undefined) => boolean {
  const wanted = reported.replaceAll(SNIP, '').trim();
  const cut = reported.includes(SNIP) || wanted.endsWith('…');
  const same = squash(wanted);
  const part = wanted.replace(/…$/, '').trimEnd();
  return (line) =>
    line !== undefined && (cut ? line.includes(part) : line.trim() === wanted || squash(line) === same);
}
