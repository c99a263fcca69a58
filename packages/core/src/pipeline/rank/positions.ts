import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import type { BlamedFile } from '../../ports/code-host.js';
import { verifyLine } from '../locate/verify-line.js';
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
