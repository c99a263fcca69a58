import type { Frame } from '../../domain/event.js';
import { makeFrame, type PartialException, partialException, positive, splitHeadline } from './text.js';

/** Reads frames and then the exception's lines; `next` is where reading stopped. */
export function readTraceback(
  lines: readonly string[],
  from: number,
): { draft: PartialException; next: number } {
  const draft = partialException();
  const margin = indentOf(lines[from] ?? '');
  let index = from;
  for (; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const frame = readFrameLine(line);
    if (frame !== null) draft.frames.push(frame);
    else if (indentOf(line) < margin && line.trim() !== '') break;
    else addSource(draft.frames, line, margin);
  }
  const first = (lines[index] ?? '').trimEnd();
  const named = splitHeadline(first.trimStart());
  if (named === null) return { draft, next: index };
  draft.type = named.type;
  draft.module = named.module;
  draft.value.push(named.value);
  index++;
  while (index < lines.length && (lines[index] ?? '').trim() !== '' && draft.value.length < 200) {
    draft.value.push(lines[index++] ?? '');
  }
  return { draft, next: index };
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** `  File "x.py", line 3, in f`; a syntax error's place has no `in`. */
export function readFrameLine(line: string): Frame | null {
  const text = line.trimStart();
  if (!text.startsWith('File "')) return null;
  const close = text.indexOf('", line ', 6);
  if (close < 0) return null;
  const rest = /^(\d{1,9})(?:, in (.+))?$/.exec(text.slice(close + 8).trimEnd());
  if (rest === null) return null;
  return makeFrame({ file: text.slice(6, close), line: positive(rest[1]), function: rest[2] ?? null });
}

/** The first line below a frame is its source line, unless it has carets or notes a repetition. */
function addSource(frames: Frame[], line: string, margin: number): void {
  const last = frames.at(-1);
  const source = line.slice(margin + 2);
  if (last === undefined || last.context_line !== null || /^[\s~^]*$/.test(source)) return;
  if (/^\s*\[Previous line repeated \d+ more times?\]$/.test(line)) return;
  frames[frames.length - 1] = { ...last, context_line: source.trimEnd() };
}
