import { STEPS, spend } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import { type KeyKind, kindOfKey } from './key-kinds.js';
import { isSecretText } from './secret-values.js';

/** What may stand between a separator and the quote: Python’s `b'…'`, C#’s `@"…"`, Rust’s `Some("…")`. */
export const LITERAL = /^(?:[bBuUrRfF]{1,2}|[LN@$]|(?:Some|Optional|Just)(?:\(|[ ]))(?=\\{0,7}["'`])/;

const BACKSLASH = 92;

/**
 * Where the text in the quotes that open at `open` ends: at its closing quote, the backslashes before it excluded. `escapes`
 * backslashes precede the opening quote; quotes within the text have more. Without a closing quote the text ends with its
 * line.
 */
export function closingQuote(text: string, open: number, escapes: number, most: number): number {
  const quote = text.charAt(open);
  const level = 2 * (escapes + 1);
  for (
    let at = text.indexOf(quote, open + 1);
    at >= 0 && at - open <= most;
    at = text.indexOf(quote, at + 1)
  ) {
    let slashes = 0;
    while (at - slashes > open + 1 && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % level > escapes) continue;
    // SQL and CSV double a quote.
    if (slashes === 0 && at > open + 1 && text.charAt(at + 1) === quote && quote === "'") {
      at++;
      continue;
    }
    return at - (slashes % level);
  }
  return lineEnd(text, open + 1);
}

const LINE = /[^\r\n]*/y;

function lineEnd(text: string, from: number): number {
  LINE.lastIndex = from;
  LINE.test(text);
  return LINE.lastIndex;
}

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

const afterBreak = (text: string, end: number) => end + (text.startsWith('\r\n', end) ? 2 : 1);

/** Without blanks and a comma at the end. */
function trimmed(text: string, from: number, to: number): number {
  return from + text.slice(from, to).replace(/[ \t,]{1,16}$/, '').length;
}

const LONGEST = 4096;
const LIST = /\[\s{0,16}(?:\\{0,7}["'])?(?<items>[^[\]{}]{1,4096})\]/y;

/** Go’s `X-Api-Key:[abc]` and JSON’s `"tokens":["a1","b2"]`. Lists of words and of sentences are no secrets. */
export function cutList(text: string, open: number, kind: KeyKind | null, name: string): Cut | null {
  LIST.lastIndex = open;
  const found = kind === null ? null : LIST.exec(text);
  if (kind === null || found === null) return null;
  spend(STEPS.value * found[0].length);
  const items = (found.groups?.items ?? '').replace(/\\{0,7}["']?\s{0,16}$/, '');
  const isValue = /\d/.test(items) && (kind === 'auth' || kind === 'cookie' || !/[\w]\s/.test(items));
  if (!isValue || items.includes('[redacted:') || !isSecretText(items, kind, name)) return null;
  const from = open + found[0].length - 1 - (found.groups?.items ?? '').length;
  return { from, to: from + items.length, kind };
}

/** PostgreSQL’s `Key (token)=(abc) already exists`. */
export function cutParentheses(text: string, from: number, kind: KeyKind | null, name: string): Cut | null {
  const to = text.indexOf(')', from);
  if (kind === null || to < 0 || to - from > LONGEST) return null;
  spend(STEPS.value * (to - from));
  return isSecretText(text.slice(from, to), kind, name) ? { from, to, kind } : null;
}

const NAME = /^(?:raw_?)?(?:headers|trailers)(?:_?list)?$/i;
const LONGEST_NAME = 16;

/** Whether a list of this name may hold names and values in turn, as Node’s `rawHeaders` does. */
export function isFlatHeaders(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name);
}

const OPEN = /\s{0,16}\[\s{0,16}/y;
const ITEM = /[bu]?(?<escapes>\\{0,7})["'`]/y;
const COMMA = /\\{0,7}["'`]\s{0,4},\s{0,64}/y;
/** Items of a list that are read, and the longest that is. */
const MAX = 1_000;
const ITEM_CHARS = 8_192;

interface FlatHeaders {
  readonly cuts: readonly Cut[];
  /** Where the items that were read end. */
  readonly end: number;
}

/** Finds the values after sensitive names in the text `['Host', 'x', 'Cookie', 'a=b']` that begins at `start`. */
export function findFlatHeaders(text: string, start: number): FlatHeaders {
  OPEN.lastIndex = start;
  if (!OPEN.test(text)) return { cuts: NO_CUTS, end: start };
  const cuts: Cut[] = [];
  let at = OPEN.lastIndex;
  let name = '';
  for (let index = 0; index < MAX; index++) {
    ITEM.lastIndex = at;
    const item = ITEM.exec(text);
    if (item === null) break;
    const from = ITEM.lastIndex;
    const to = closingQuote(text, from - 1, item.groups?.escapes?.length ?? 0, ITEM_CHARS);
    const kind = index % 2 === 1 ? kindOfKey(name) : null;
    name = text.slice(from, Math.min(to, from + 128));
    if (kind !== null && isSecretText(name.trim(), kind, '')) cuts.push({ from, to, kind });
    COMMA.lastIndex = to;
    if (!COMMA.test(text)) break;
    at = COMMA.lastIndex;
  }
  return { cuts, end: at };
}
