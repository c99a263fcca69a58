/** A value on the lines below its name. */
export interface Below {
  readonly from: number;
  readonly to: number;
  /** Several lines, after YAML’s `|` or `>`. */
  readonly isBlock: boolean;
}

/** Only an indent, a dash and a quote precede the name of a member in YAML, or in JSON with line ends. */
const START = /(?:^|[\r\n])[ \t]{0,40}(?:- )?["']?$/;
const MARK_AND_INDENT = /(?<block>[|>][+-]?\d?)?[ \t]{0,3}\r?\n(?<indent>[ \t]{1,40})(?:- )?/y;
const LINE = /[^\r\n]*/y;

/**
 * The value of `password:` or `password: |` on the next line, which must be indented. `after` is the place after the colon,
 * `name` that of the name.
 */
export function valueBelow(text: string, after: number, name: number): Below | null {
  const code = text.charCodeAt(after);
  if (code !== 10 && code !== 13 && code !== 124 && code !== 62) return null;
  if (!START.test(text.slice(Math.max(0, name - 44), name))) return null;
  MARK_AND_INDENT.lastIndex = after;
  const { block, indent } = MARK_AND_INDENT.exec(text)?.groups ?? {};
  if (indent === undefined) return null;
  const from = MARK_AND_INDENT.lastIndex;
  let to = lineEnd(text, from);
  if (block === undefined) return { from, to: trimmed(text, from, to), isBlock: false };
  for (let next = afterBreak(text, to); text.startsWith(indent, next); next = afterBreak(text, to)) {
    to = lineEnd(text, next);
  }
  return { from, to, isBlock: true };
}

function lineEnd(text: string, from: number): number {
  LINE.lastIndex = from;
  LINE.test(text);
  return LINE.lastIndex;
}

const afterBreak = (text: string, end: number) => end + (text.startsWith('\r\n', end) ? 2 : 1);

/** Without blanks and a comma at the end. */
function trimmed(text: string, from: number, to: number): number {
  return from + text.slice(from, to).replace(/[ \t,]{1,16}$/, '').length;
}
