import type { CrashException, Frame } from '../../domain/event.js';
import {
  finishException,
  headedException,
  makeFrame,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  positive,
} from './text.js';

/**
 * The stacks of Node, Chrome, Firefox and Safari, newest frame first. Node prints the source excerpt of an uncaught
 * error before its stack, and the error's properties, including `[cause]`, after it.
 */
export function parseJavaScript(lines: readonly string[]): readonly CrashException[] {
  const excerpt = findExcerpt(lines);
  const start = excerpt?.end ?? 0;
  const first = findFrame(lines, start);
  if (first < 0) return excerpt === null ? [] : fromExcerptAlone(lines, excerpt);
  const drafts = readChain(lines, first, headline(lines, start, first, excerpt !== null));
  if (excerpt !== null) withExcerpt(drafts[0], excerpt);
  return drafts.map((draft) => finishException(draft, 'newest')).reverse();
}

interface Excerpt {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** The index after the excerpt. */
  readonly end: number;
}

/** `file:line`, source lines, a line of carets. Of several, the last one ended the program. */
function findExcerpt(lines: readonly string[]): Excerpt | null {
  for (let carets = lines.length - 1; carets >= 2; carets--) {
    if (!/^\s*\^+\s*$/.test(lines[carets] ?? '')) continue;
    for (let top = carets - 2; top >= Math.max(0, carets - 6); top--) {
      const place = /^(\/.*|[A-Za-z]:[\\/].*|file:\/\/.*|node:.*):(\d{1,9})$/.exec(lines[top] ?? '');
      const line = positive(place?.[2]);
      if (place?.[1] === undefined || line === null) continue;
      return { file: place[1], line, code: lines[top + 1] ?? '', end: carets + 1 };
    }
  }
  return null;
}

function findFrame(lines: readonly string[], from: number): number {
  for (let index = from; index < lines.length; index++) {
    if (readJavaScriptFrame(lines[index] ?? '') !== null) return index;
  }
  return -1;
}

const ERROR_LINE =
  /^(?:\[?Uncaught:? (?:\(in promise\) )?)?\[?[A-Za-z_$][\w$.]{0,200}(?:Error|Exception|Failure|Fault|Rejection)\b(?: \[\w{1,64}\])?(?::|\]?$)/;
/** Maximum lines of an error's message above its first frame. */
const MESSAGE_LINES = 200;

/**
 * The lines of the error's message: all lines after an excerpt or at the start of the text, otherwise those from the
 * nearest error name on.
 */
function headline(
  lines: readonly string[],
  start: number,
  first: number,
  uncaught: boolean,
): readonly string[] {
  let top = start;
  while (top < first && (lines[top] ?? '').trim() === '') top++;
  if (uncaught || ERROR_LINE.test(lines[top] ?? '')) return lines.slice(top, first);
  const lowest = Math.max(top, first - MESSAGE_LINES);
  for (let index = first - 1; index >= lowest; index--) {
    if (ERROR_LINE.test(lines[index] ?? '')) return lines.slice(index, first);
  }
  let paragraph = first;
  while (paragraph > lowest && (lines[paragraph - 1] ?? '').trim() !== '') paragraph--;
  return lines.slice(paragraph, first);
}

function draftOf(text: readonly string[]): PartialException {
  const [first = '', ...rest] = text;
  return headedException(first.trim().replace(/^Uncaught:? (?:\(in promise\) )?/, ''), rest, '::');
}

const CAUSE = /^\s*\[cause\]: (.*)$/;
/** An enumerable property that holds an error, as on the errors of Node's test runner. */
const OWN_CAUSE = /^\s*cause: ([A-Z][\w$.]{0,200}(?: \[[^\]]{1,100}\])?: .*)$/;

/** Reads the frames; after their end, only what follows a `[cause]:`. */
function readChain(lines: readonly string[], first: number, text: readonly string[]): PartialException[] {
  let draft = draftOf(text);
  const drafts = [draft];
  let reading: 'frames' | 'message' | 'nothing' = 'frames';
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const cause = CAUSE.exec(line) ?? (reading === 'nothing' ? OWN_CAUSE.exec(line) : null);
    if (cause !== null) {
      if (drafts.length >= PARSE_LIMITS.exceptions) break;
      draft = draftOf([cause[1] ?? '']);
      drafts.push(draft);
      reading = 'message';
      continue;
    }
    if (reading === 'nothing') continue;
    const frame = readJavaScriptFrame(line);
    if (frame !== null) {
      draft.frames.push(frame);
      reading = 'frames';
    } else if (reading === 'message' && !line.trim().startsWith('}')) draft.value.push(line.trim());
    else reading = line.trim() === '' && draft.frames.length === 0 ? reading : 'nothing';
  }
  return drafts.filter(({ frames, type }) => frames.length > 0 || type !== null);
}

/** Assigns the source line to its frame. The place of a syntax error is in no frame, so it becomes one. */
function withExcerpt(draft: PartialException | undefined, excerpt: Excerpt): void {
  if (draft === undefined || excerpt.file.startsWith('node:')) return;
  const bare = (file: string | null) => (file ?? '').replace(/^file:\/\//, '');
  const index = draft.frames.findIndex(
    ({ file, line }) => bare(file) === bare(excerpt.file) && line === excerpt.line,
  );
  const frame = draft.frames[index];
  if (frame !== undefined) draft.frames[index] = { ...frame, context_line: excerpt.code };
  else if (draft.type === 'SyntaxError') draft.frames.unshift(frameOfExcerpt(excerpt));
}

function frameOfExcerpt(excerpt: Excerpt): Frame {
  const frame = readJavaScriptFrame(`    at ${excerpt.file}:${excerpt.line}:1`);
  return { ...(frame as Frame), column: null, context_line: excerpt.code };
}

/** `throw 'text'`: Node prints the excerpt and the value without frames. */
function fromExcerptAlone(lines: readonly string[], excerpt: Excerpt): readonly CrashException[] {
  if (excerpt.file.startsWith('node:')) return [];
  const text = lines
    .slice(excerpt.end)
    .filter((line) => line.trim() !== '' && !/^(?:Node\.js v\d|\(Use `node --trace)/.test(line));
  const draft = partialException(null, text.slice(0, MESSAGE_LINES));
  draft.frames.push(frameOfExcerpt(excerpt));
  return [finishException(draft, 'newest')];
}

/** One line of a stack of V8 (`    at f (file:1:2)`), SpiderMonkey or JavaScriptCore (`f@file:1:2`); else `null`. */
function readJavaScriptFrame(line: string): Frame | null {
  const trimmed = line.trim();
  return trimmed.startsWith('at ') ? readV8(trimmed.slice(3)) : readAt(trimmed);
}

interface SourcePosition {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** `file:line:column` or `file:line`. */
function readPlace(text: string): SourcePosition | null {
  const match = /:(\d{1,9})(?::(\d{1,9}))?$/.exec(text);
  if (match === null || match.index === 0) return null;
  return { file: text.slice(0, match.index), line: positive(match[1]), column: positive(match[2]) };
}

function readV8(text: string): Frame | null {
  const body = text.endsWith(' {') ? text.slice(0, -2) : text;
  const call = body.startsWith('async ') ? body.slice(6) : body;
  if (!call.endsWith(')')) {
    const place = readPlace(call);
    return place === null || !looksLikeFile(place.file) ? null : framed(null, place);
  }
  const open = call.includes(' (eval at ') ? call.indexOf(' (eval at ') : call.lastIndexOf(' (');
  if (open < 0) return call.startsWith('(') ? framed(null, readPlace(call.slice(1, -1))) : null;
  const name = call.slice(0, open);
  const where = call.slice(open + 2, -1);
  if (where.startsWith('eval at ')) return makeFrame({ function: name, file: '<anonymous>' });
  if (where === '<anonymous>' || where === 'native' || /^index \d+$/.test(where)) {
    return makeFrame({ function: name, file: '<anonymous>' });
  }
  const place = readPlace(where);
  return place === null ? null : framed(name, place);
}

/** Excludes prose such as `at 10:30` and the frames of Java and .NET. */
const looksLikeFile = (file: string) =>
  /[/\\]|^node:|^<anonymous>$|\.[cm]?[jt]sx?$/.test(file) && !file.includes(' in ');

function framed(name: string | null, place: SourcePosition | null): Frame | null {
  if (place === null) return null;
  const url = place.file.startsWith('file://') ? place.file : null;
  return makeFrame({
    function: name === null || name === '' || name === '<anonymous>' ? null : name,
    file: url === null ? place.file : url.slice('file://'.length),
    abs_path: url,
    line: place.line,
    column: place.column,
  });
}

function readAt(text: string): Frame | null {
  if (/^(?:(?:global|module|eval) code|\[native code\])$/.test(text))
    return makeFrame({ file: '[native code]' });
  const at = text.lastIndexOf('@');
  if (at < 0) return null;
  const name = text.slice(0, at).replace(/^async\*/, '');
  const where = text.slice(at + 1);
  if (where === '[native code]') return makeFrame({ function: name, file: '[native code]' });
  const evaluated = /^(.{1,1000}?) line \d+ > (?:eval|Function)/.exec(where);
  if (evaluated !== null) return makeFrame({ function: name, file: '<anonymous>' });
  if (
    !/^(?:https?|file|blob|webpack|webpack-internal|app|capacitor|resource|chrome|moz-extension|safari-web-extension):|^\//.test(
      where,
    )
  ) {
    return null;
  }
  return framed(/^(?:global|module|eval) code$/.test(name) ? null : name, readPlace(where));
}
