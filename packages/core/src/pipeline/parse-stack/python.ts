import type { CrashException, Frame } from '../../domain/event.js';
import {
  finishException,
  headedException,
  makeFrame,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  positive,
  splitHeadline,
} from './text.js';

const TRACEBACK = 'Traceback (most recent call last):';
const WHILE_HANDLING = 'During handling of the above exception, another exception occurred:';
const CAUSED = 'The above exception was the direct cause of the following exception:';

/**
 * Python's tracebacks, oldest frame first; the exception that was raised last is printed last. Of several unchained
 * tracebacks, the last one counts. An exception raised while another was handled is distinguished from a cause by its
 * mechanism, as in Sentry's SDK.
 */
export function parsePython(lines: readonly string[]): readonly CrashException[] {
  const group = lines.findLastIndex((line) => line.trim() === `+ Exception Group ${TRACEBACK}`);
  if (group >= 0) return parsePythonGroup(lines.slice(group));
  let chain: PartialException[] = [];
  let linked = false;
  const handled = new Set<PartialException>();
  for (let index = 0; index < lines.length; ) {
    const line = (lines[index] ?? '').trim();
    if (line === WHILE_HANDLING || line === CAUSED) {
      linked = true;
      const above = chain.at(-1);
      if (above && line === WHILE_HANDLING) handled.add(above);
    }
    if (line !== TRACEBACK && !(chain.length === 0 && readFrameLine(lines[index] ?? '') !== null)) {
      index++;
      continue;
    }
    const { draft, next } = readTraceback(lines, line === TRACEBACK ? index + 1 : index);
    chain = linked ? [...chain.slice(-49), draft] : [draft];
    linked = false;
    index = Math.max(next, index + 1);
  }
  return chain
    .filter(({ frames }) => frames.length > 0)
    .map((draft) => ({
      ...finishException(draft, 'oldest'),
      mechanism: handled.has(draft) ? { type: 'chained', source: '__context__' } : null,
    }));
}

interface Member {
  readonly depth: number;
  readonly lines: string[];
}

/**
 * An exception group: the root's traceback behind a margin of `|`, its members below headings such as `+-+---- 1
 * ----`, each level two columns further in. The result has the ids and parents that Sentry's SDK assigns, with the
 * root last.
 */
function parsePythonGroup(lines: readonly string[]): readonly CrashException[] {
  const members = split(lines).slice(0, PARSE_LIMITS.exceptions);
  const parents: number[] = [];
  const exceptions = members.map(({ depth, lines: own }, id): CrashException => {
    parents[depth] = id;
    const draft = draftOf(own);
    const group = (members[id + 1]?.depth ?? 0) > depth;
    draft.value = draft.value.map((line) => line.replace(/ \(\d+ sub-exceptions?\)$/, ''));
    const parent = depth === 0 ? {} : { parent_id: parents[depth - 1] ?? 0 };
    const tree = {
      type: 'chained',
      exception_id: id,
      ...parent,
      ...(group ? { is_exception_group: true } : {}),
    };
    return { ...finishException(draft, 'oldest'), mechanism: tree };
  });
  return exceptions.reverse();
}

function split(lines: readonly string[]): readonly Member[] {
  const members: Member[] = [{ depth: 0, lines: [] }];
  for (const line of lines) {
    const heading = /^(\s*)\+(-\+)?-{4,} (?:\d{1,6}|\.\.\.) -{4,}$/.exec(line.trimEnd());
    if (heading !== null) {
      const column = (heading[1] ?? '').length + (heading[2] === undefined ? 0 : 2);
      members.push({ depth: Math.max(1, Math.min(Math.floor(column / 2) - 1, 60)), lines: [] });
      continue;
    }
    const margin = /^\s*[|+] ?/.exec(line);
    if (margin !== null && !/^\s*\+-{4,}$/.test(line.trimEnd()))
      members.at(-1)?.lines.push(line.slice(margin[0].length));
  }
  return members;
}

function draftOf(lines: readonly string[]): PartialException {
  const start = lines.findIndex((line) => line.endsWith('Traceback (most recent call last):'));
  if (start >= 0) return readTraceback(lines, start + 1).draft;
  const [first = '', ...rest] = lines;
  return splitHeadline(first) === null ? partialException(null, [first]) : headedException(first, rest);
}

/** Reads frames and then the exception's lines; `next` is where reading stopped. */
function readTraceback(lines: readonly string[], from: number): { draft: PartialException; next: number } {
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
function readFrameLine(line: string): Frame | null {
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
