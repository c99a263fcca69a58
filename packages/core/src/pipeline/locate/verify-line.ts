import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { squash } from '../rank/formatting.js';

/** How far a line may have moved between the build and the revision. */
const DRIFT_LINES = 60;
const SNIP = '{snip}';

/**
 * Compares the reported source line with the file. Where it does not stand at the reported line but exactly once within
 * 60 lines of it, the frame is moved there.
 */
export function verifyLine(
  located: LocatedFrame,
  frame: Frame | undefined,
  lines: readonly string[] | null,
): LocatedFrame {
  const reported = frame?.context_line ?? null;
  if (lines === null || reported === null || !isTelling(reported)) return located;
  const equal = matcher(reported);
  if (equal(lines[located.line - 1])) return { ...located, verified: true };
  let moved: number | null = null;
  for (let offset = 1; offset <= DRIFT_LINES; offset++) {
    for (const line of [located.line - offset, located.line + offset]) {
      if (!equal(lines[line - 1])) continue;
      if (moved !== null) return { ...located, verified: false };
      moved = line;
    }
  }
  return moved === null ? { ...located, verified: false } : { ...located, line: moved, verified: true };
}

/** A lone bracket stands everywhere; a line that was redacted can be compared with nothing. */
function isTelling(line: string): boolean {
  return /\w/.test(line) && !line.includes('[redacted');
}

/** SDKs and limits cut long lines, and say so with `{snip}` or `…`. */
function matcher(reported: string): (line: string | undefined) => boolean {
  const wanted = reported.replaceAll(SNIP, '').trim();
  const cut = reported.includes(SNIP) || wanted.endsWith('…');
  const same = squash(wanted);
  const part = wanted.replace(/…$/, '').trimEnd();
  return (line) =>
    line !== undefined && (cut ? line.includes(part) : line.trim() === wanted || squash(line) === same);
}
