import type { CrashException, Frame } from '../../domain/event.js';
import {
  finishException,
  makeFrame,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  positive,
} from './text.js';

/**
 * Ruby's stacks: `a.rb:5:in 'm': message (Type)` and `from` lines, newest first; the reversed order of terminals in
 * 2.5 to 2.7; Rails' `Type (message):` above bare lines; and bare backtraces. Causes are printed below, so the
 * exception that was raised last is the first.
 */
export function parseRuby(lines: readonly string[]): readonly CrashException[] {
  const reversed = lines.some((line) => /^Traceback \(most recent call last\):$/.test(line));
  const drafts: PartialException[] = [];
  let waiting: Frame[] = [];
  let current: PartialException | null = null;
  for (const [index, line] of lines.entries()) {
    const numbered = /^\s*\d{1,5}: from /.exec(line);
    const read = readLine(numbered === null ? line : line.slice(numbered[0].length));
    if (read === null) {
      if (current !== null && current.frames.length === 1 && drafts.length === 1) addMessage(current, line);
      continue;
    }
    if (numbered !== null) {
      waiting.push(read.frame);
    } else if (read.type !== null || current === null) {
      current = read.type === null ? rails(lines, index) : partialException(read.type, [read.message]);
      current.frames.push(read.frame, ...(reversed ? waiting.reverse() : []));
      waiting = [];
      drafts.push(current);
    } else current.frames.push(read.frame);
    if (drafts.length > PARSE_LIMITS.exceptions) break;
  }
  return drafts.map((draft) => finishException(draft, 'newest')).reverse();
}

interface Read {
  readonly frame: Frame;
  readonly type: string | null;
  readonly message: string;
}

function readLine(line: string): Read | null {
  const text = line.trim().replace(/^from /, '');
  const place = /^((?:[A-Za-z]:)?[^:]{1,1000}):(\d{1,9})(?::in [`']|: |$)/.exec(text);
  if (
    place?.[1] === undefined ||
    !/\.(?:rb|ru|rake|erb|haml|slim)$|^<internal|^\(|^-e$|\/bin\//.test(place[1])
  )
    return null;
  const named = place[0].endsWith("'") || place[0].endsWith('`');
  const rest = text.slice(place[0].length);
  const close = named ? rest.indexOf("'") : -1;
  if (named && close < 0) return null;
  const after = named ? rest.slice(close + 1).replace(/^: /, '') : rest;
  const open = after.lastIndexOf(' (');
  const type = after.endsWith(')') && open >= 0 ? after.slice(open + 2, -1) : '';
  const raised = /^[A-Z][\w:]{0,200}$/.test(type);
  return {
    frame: makeFrame({
      file: place[1],
      line: positive(place[2]),
      function: named ? rest.slice(0, close) : null,
    }),
    type: raised ? type : null,
    message: raised ? after.slice(0, open) : '',
  };
}

/** A message of several lines continues below its first frame, until a blank line or an excerpt. */
function addMessage(draft: PartialException, line: string): void {
  const raised = /^(.{0,1900}) \(([A-Z][\w:]{0,200})\)$/.exec(line);
  if (raised !== null && draft.type === null) {
    draft.type = raised[2] ?? null;
    draft.value.push(raised[1] ?? '');
  }
}

/** Rails logs `NoMethodError (undefined method …):` above a bare backtrace. */
function rails(lines: readonly string[], first: number): PartialException {
  for (let index = first - 1; index >= Math.max(0, first - 5); index--) {
    const match =
      /^\s*([A-Z][\w:]{0,200}) \((.{0,1900})\):?$/.exec(lines[index] ?? '') ??
      /^([A-Z][\w:]{0,200}(?:Error|Exception)): (.{0,1900})$/.exec(lines[index] ?? '');
    if (match !== null) return partialException(match[1] ?? null, [match[2] ?? '']);
  }
  return partialException();
}
