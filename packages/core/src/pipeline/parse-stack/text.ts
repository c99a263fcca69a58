import type { CrashException, Frame } from '../../domain/event.js';

/** Lines are cut to this length first, so that no pattern can be slow. */
export const LINE_CHARS = 2000;
/** Maximum frames and exceptions of a text; the crashed end is kept. */
export const PARSE_LIMITS = { exceptions: 50, frames: 1000 } as const;

/**
 * A parser's result: exceptions, last raised last, frames oldest first. Empty if the text belongs to another platform.
 */
export type StackParser = (lines: readonly string[]) => readonly CrashException[];

export function splitLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, LINE_CHARS));
}

export function makeFrame(known: Partial<Frame>): Frame {
  return {
    file: null,
    abs_path: null,
    module: null,
    package: null,
    function: null,
    line: null,
    column: null,
    in_app: null,
    platform: null,
    context_line: null,
    pre_context: [],
    post_context: [],
    vars: null,
    instruction_addr: null,
    ...known,
  };
}

export function makeException(known: Partial<CrashException>): CrashException {
  return {
    type: null,
    value: null,
    module: null,
    handled: null,
    synthetic: false,
    mechanism: null,
    frames: [],
    ...known,
  };
}

/** A stack that is being parsed, in the order of the text. */
export interface PartialException {
  type: string | null;
  module: string | null;
  value: string[];
  readonly frames: Frame[];
}
export const partialException = (
  type: string | null = null,
  value: string[] = [],
  module: string | null = null,
): PartialException => ({ type, module, value, frames: [] });

/** Starts with its headline and further lines of its message; a line without a name is all message. */
export function headedException(
  line: string,
  rest: readonly string[] = [],
  separator: '.' | '::' = '.',
): PartialException {
  const { type = null, value = line, module = null } = splitHeadline(line, separator) ?? {};
  return partialException(type, [value, ...rest], module);
}

/** `order` is the platform's: `newest` or `oldest` first. */
export function finishException(draft: PartialException, order: 'newest' | 'oldest'): CrashException {
  const { frames } = draft;
  const kept =
    order === 'newest' ? frames.slice(0, PARSE_LIMITS.frames).reverse() : frames.slice(-PARSE_LIMITS.frames);
  const value = draft.value.join('\n').trim();
  const { type, module } = draft;
  return makeException({ type, module, value: value === '' ? null : value, frames: kept });
}

/** Splits `a.b.Name: value`; `null` if the line does not begin with a name. */
export function splitHeadline(
  line: string,
  separator: '.' | '\\' | '::' = '.',
): { module: string | null; type: string; value: string } | null {
  const match = /^([A-Za-z_$][\w$.:\\`+]{0,300}?)(?: \[\w{1,64}\])?(?:: |:$|$)/.exec(line);
  const full = match?.[1];
  if (match === null || full === undefined) return null;
  const cut = separator === '.' ? full.lastIndexOf('.') : -1;
  return {
    module: cut > 0 ? full.slice(0, cut) : null,
    type: cut > 0 ? full.slice(cut + 1) : full,
    value: line.slice(match[0].length),
  };
}

export const positive = (digits: string | undefined): number | null => {
  const number = Number(digits);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};
