import type { CrashException } from '../../domain/event.js';
import {
  finishException,
  makeFrame,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  positive,
  splitHeadline,
} from './text.js';

/**
 * PHP's uncaught exceptions and `(string) $e`, newest frame first; the first cause is printed first (`Next` is raised
 * later). A trace line shows where a function was called, so names move down one frame.
 */
export function parsePhp(lines: readonly string[]): readonly CrashException[] {
  const drafts: PartialException[] = [];
  let current: PartialException | null = null;
  /** Below the headline of the exception before: no line is read twice. */
  let unread = 0;
  for (const [index, line] of lines.entries()) {
    const call = /^#\d{1,6} (.*)$/.exec(line.trim())?.[1];
    if (call === undefined) continue;
    if (current === null || line.trim().startsWith('#0 ')) {
      current = headed(lines, index, unread);
      unread = index;
      if (drafts.length >= PARSE_LIMITS.exceptions) drafts.shift();
      drafts.push(current);
    }
    const { file, line: at, name } = readCall(call);
    nameFrame(current, name);
    if (file !== null) current.frames.push(makeFrame({ file, line: at }));
  }
  return drafts.filter(({ frames }) => frames.length > 0).map((draft) => finishException(draft, 'newest'));
}

function nameFrame(draft: PartialException, name: string | null): void {
  const last = draft.frames.at(-1);
  if (last !== undefined) draft.frames[draft.frames.length - 1] = { ...last, function: name };
}

/** `/a.php(12): Cart->total(NULL)`, `[internal function]: f()`, `{main}`. */
function readCall(call: string): { file: string | null; line: number | null; name: string | null } {
  if (call === '{main}') return { file: null, line: null, name: null };
  const place = /^(\[internal function\]|(.{1,1500}?)\((\d{1,9})\)): (.{0,2000})$/.exec(call);
  if (place === null) return { file: null, line: null, name: null };
  const open = place[4]?.startsWith('{closure') ? -1 : (place[4] ?? '').indexOf('(');
  const name = open < 0 ? (place[4] ?? '').replace(/\([^()]*\)$/, '') : (place[4] ?? '').slice(0, open);
  return { file: place[2] ?? '[internal]', line: positive(place[3]), name: name.replace('->', '::') };
}

/** `Type: message in /file.php:12` above `Stack trace:`; the message may have several lines. */
function headed(lines: readonly string[], first: number, unread: number): PartialException {
  const trace = first - 1;
  if ((lines[trace] ?? '').trim() !== 'Stack trace:') return partialException();
  for (let index = trace - 1; index >= Math.max(unread, trace - 50); index--) {
    const line = (lines[index] ?? '').trim();
    const head = line
      .replace(/^.{0,100}?(?:PHP )?Fatal error:\s+Uncaught /, '')
      .replace(/^Next /, '')
      .replace(/^.{0,60}Uncaught /, '');
    const named = splitHeadline(head, '\\');
    const boundary = index === 0 || (lines[index - 1] ?? '').trim() === '' || head !== line;
    if (named === null || !boundary) continue;
    const message = [named.value, ...lines.slice(index + 1, trace)].join('\n');
    return withThrow(partialException(lastSegment(named.type), [], namespaceOf(named.type)), message || head);
  }
  return partialException();
}

function withThrow(draft: PartialException, message: string): PartialException {
  const at = message.lastIndexOf(' in ');
  const place = at < 0 ? null : /^(.{1,1500}):(\d{1,9})$/.exec(message.slice(at + 4));
  if (place !== null) draft.frames.push(makeFrame({ file: place[1] ?? null, line: positive(place[2]) }));
  draft.value.push(place === null ? message : message.slice(0, at));
  return draft;
}

const lastSegment = (name: string) => name.slice(name.lastIndexOf('\\') + 1);
const namespaceOf = (name: string) => (name.includes('\\') ? name.slice(0, name.lastIndexOf('\\')) : null);
