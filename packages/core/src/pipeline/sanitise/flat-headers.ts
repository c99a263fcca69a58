import { type Cut, NO_CUTS } from './cuts.js';
import { kindOfKey } from './key-kinds.js';
import { closingQuote } from './quotes.js';
import { isSecretText } from './secret-values.js';

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
const MOST = 1_000;
const ITEM_CHARS = 8_192;

export interface FlatHeaders {
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
  for (let index = 0; index < MOST; index++) {
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
