import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import type { BlamedFile } from '../../ports/code-host.js';
import { squash } from './formatting.js';
import type { Position } from './types.js';

export interface PositionOptions {
  /** Frames from here on belong to the causes of the crash: they count, but are not reported as frames of the crash itself. */
  readonly causesFrom?: number;
  /** Frames whose source line was not reported, but comes from a source map. */
  readonly unreported?: ReadonlySet<Frame>;
}

/**
 * Frames whose files were blamed, each line once, at the line to which the code has moved. A frame past the end of its file is
 * not placed.
 */
export function positionsOf(
  located: readonly LocatedFrame[],
  frames: readonly Frame[],
  files: readonly BlamedFile[],
  { causesFrom = Number.POSITIVE_INFINITY, unreported = new Set() }: PositionOptions = {},
): { readonly located: readonly LocatedFrame[]; readonly positions: readonly Position[] } {
  const checked = located.flatMap((frame) => {
    const lines = files.find(({ path }) => path === frame.path)?.lines ?? null;
    const reported = frames[frame.frame];
    const isCertain = reported === undefined || !unreported.has(reported);
    const placed = verifyLine(frame, reported, lines, isCertain ? true : null);
    return lines !== null && placed.line > lines.length ? [] : [placed];
  });
  const positions: Position[] = [];
  const seen = new Set<string>();
  for (const { frame, path, line, verified } of checked) {
    const file = files.find((entry) => entry.path === path && entry.status === 'ok');
    const key = `${path}:${line}`;
    if (file === undefined || seen.has(key)) continue;
    seen.add(key);
    const view = { path, line, ranges: file.ranges, text: file.lines?.[line - 1] ?? null };
    const position = { frame, path, line, verified, views: [view], lookedThrough: [] };
    positions.push(frame >= causesFrom ? { ...position, cause: true } : position);
  }
  return { located: checked.filter(({ frame }) => frame < causesFrom), positions };
}

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
