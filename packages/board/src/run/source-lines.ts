import type { Frame } from '@culprit/core/internal/domain/event';
import type { PlacedFrame } from '@culprit/core/internal/pipeline/evidence/placed-frames';

export interface SourceLine {
  readonly number: number | null;
  readonly text: string;
  readonly crashed: boolean;
}

/** The repository's lines at the crashed commit, otherwise those in the event. */
export function linesOf(frame: Frame, place: PlacedFrame | null): readonly SourceLine[] {
  if (place !== null && place.source !== null) {
    const { from, lines } = place.source;
    return lines.map((text, at) => ({ number: from + at, text, crashed: from + at === place.line }));
  }
  if (frame.context_line === null) return [];
  const first = frame.line === null ? null : frame.line - frame.pre_context.length;
  return [...frame.pre_context, frame.context_line, ...frame.post_context].map((text, at) => ({
    number: first === null ? null : first + at,
    text,
    crashed: at === frame.pre_context.length,
  }));
}

/** Longer lines are minified, or data. */
const LONG = 400;
const BEFORE = 60;
const AFTER = 200;

/** The part of a minified line around the column that crashed. */
export interface LineCut {
  readonly before: string;
  readonly at: string;
  readonly after: string;
}

/** `null` for a line that people write. */
export function cutAtColumn(frame: Frame): LineCut | null {
  const { context_line: text, column } = frame;
  if (text === null || text.length <= LONG || column === null) return null;
  const crashed = Math.min(text.length - 1, Math.max(0, column - 1));
  const from = Math.max(0, crashed - BEFORE);
  const to = Math.min(text.length, crashed + AFTER);
  const word = /^[\w$]+/.exec(text.slice(crashed, to))?.[0] ?? text.slice(crashed, crashed + 1);
  return {
    before: `${from > 0 ? '…' : ''}${text.slice(from, crashed)}`,
    at: word,
    after: `${text.slice(crashed + word.length, to)}${to < text.length ? '…' : ''}`,
  };
}
