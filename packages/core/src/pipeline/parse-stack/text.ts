import type { CrashException, Frame } from '../../domain/event.js';

/** A line longer than this is cut before anything looks at it, so no pattern can be made slow. */
export const LINE_CHARS = 2000;
/** What one text may hold; beyond it the crashed end stays. */
export const PARSE_LIMITS = { exceptions: 50, frames: 1000 } as const;

/** A parser's answer: exceptions, last raised last, frames oldest first. Empty: the text is not this platform's. */
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

function makeException(known: Partial<CrashException>): CrashException {
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

/** A stack while it is read, in the text's own order. */
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
): PartialException => ({
  type,
  module,
  value,
  frames: [],
});

/** `order` is how the platform prints: `newest` first or `oldest` first. */
export function finishException(draft: PartialException, order: 'newest' | 'oldest'): CrashException {
  const { frames } = draft;
  const kept =
    order === 'newest' ? frames.slice(0, PARSE_LIMITS.frames).reverse() : frames.slice(-PARSE_LIMITS.frames);
  const value = draft.value.join('\n').trim();
  return makeException({
    type: draft.type,
    module: draft.module,
    value: value === '' ? null : value,
    frames: kept,
  });
}

/** `a.b.Name: value` taken apart; `null` where the line does not begin with a name. */
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
