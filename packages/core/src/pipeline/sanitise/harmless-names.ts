import { TELLING_PARTS } from './key-kinds.js';
import { ESCAPES, LOOKED_AT, NAME_CHARS } from './named-values.js';

/** Slots of the table of names; a new name replaces the one in its slot. */
const PLACES = 1_024;
const LONGEST = 32;

const chars = new Uint8Array(PLACES * LONGEST);
const lengths = new Uint8Array(PLACES);

/** By code: the number of a letter, digit, `_`, `.`, `$` or `-` without its case; different ones may share it. 255: another character. */
const FOLDED = new Uint8Array(128).fill(255);
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$') {
  FOLDED[char.charCodeAt(0)] = char.charCodeAt(0) & 31;
}
/** What is before and after a name, and the dashes of an option, which are no part of it. */
const EDGE = 0;
FOLDED[45] = EDGE;
const threeOf = (first: number, second: number, third: number) => (first << 10) | (second << 5) | third;

/** Letters, from the most frequent to the rarest. */
const FREQUENT = 'etaoinsrhldcumfpgwybvkxjqz';
const rarity = (part: string) =>
  [...part].reduce((sum, char) => sum + (FREQUENT.includes(char) ? FREQUENT.indexOf(char) : 26), 0);

/** By three characters: 1 where a name has them that may be sensitive. For each part, one that ordinary names hardly have. */
const TELLS = new Uint8Array(32 ** 3);
const codesOf = (part: string) => [...part].map((char) => (char === ' ' ? EDGE : char.charCodeAt(0) & 31));
/** `name` and `key` name the value of a sibling; lists of headers hold names and values. A blank is the start of the name. */
const OTHER_PARTS = [' name', 'headers', 'trailers', ...LOOKED_AT];
for (const part of [...TELLING_PARTS, ...OTHER_PARTS]) {
  if (/[^ -~]/.test(part)) continue;
  const threes = Array.from({ length: Math.max(1, part.length - 2) }, (_, at) => part.slice(at, at + 3));
  const [rarest = ''] = threes.sort((one, other) => rarity(other) - rarity(one));
  const [first = 0, second = 0, third] = codesOf(rarest);
  if (third !== undefined) TELLS[threeOf(first, second, third)] = 1;
  else for (let before = 0; before < 32; before++) TELLS[threeOf(before, first, second)] = 1;
}

/** Characters before a name that change its meaning: a URL, an encoded name; also those outside ASCII. */
const SPECIAL = new Uint8Array(128);
for (const char of '?&;%') SPECIAL[char.charCodeAt(0)] = 1;

/** Where the last name began, -1 if it cannot be cached, and where it ended. */
let from = -1;
let to = 0;
let place = 0;

const isSpace = (code: number | undefined) => code === 32 || code === 9;
const isQuote = (code: number | undefined) => code === 34 || code === 39 || code === 96;

/**
 * Whether the name before the separator at `separator`, or before up to two spaces and a quote there, is harmless: it has
 * nothing that could tell a secret, or it is known. Names after special characters are left to `isSensitiveNameBefore`.
 */
export function isHarmless(units: Uint16Array, start: number, separator: number): boolean {
  let end = separator;
  while (end > start && end > separator - 2 && isSpace(units[end - 1])) end--;
  if (end > start && isQuote(units[end - 1])) {
    end--;
    for (let n = 0; n < ESCAPES && end > start && units[end - 1] === 92; n++) end--;
  }
  let at = end;
  let three = 0;
  let tells = 0;
  const least = Math.max(start, end - NAME_CHARS);
  for (; at > least; at--) {
    const code = units[at - 1] ?? 0;
    const folded = code < 128 ? (FOLDED[code] ?? 255) : 255;
    if (folded === 255) break;
    three = (three >> 5) | (folded << 10);
    tells |= TELLS[three] ?? 0;
  }
  tells |= TELLS[three >> 5] ?? 0;
  const before = at > start ? (units[at - 1] ?? 0) : 0;
  from = -1;
  if (at === end || (at === least && at > start) || before > 127 || SPECIAL[before] === 1) return false;
  if (tells === 0) return true;
  return end - at <= LONGEST && isKnown(units, at, end);
}

function isKnown(units: Uint16Array, start: number, end: number): boolean {
  let hash = 0;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (units[index] ?? 0), 0x01000193);
  from = start;
  to = end;
  place = (hash ^ (hash >>> 13)) & (PLACES - 1);
  const length = end - start;
  if (lengths[place] !== length) return false;
  for (let index = 0; index < length; index++) {
    if (chars[place * LONGEST + index] !== units[start + index]) return false;
  }
  return true;
}

/** Call right after {@link isHarmless}, once the name was found to be harmless. */
export function rememberHarmless(units: Uint16Array): void {
  if (from === -1) return;
  lengths[place] = to - from;
  for (let index = from; index < to; index++) chars[place * LONGEST + index - from] = units[index] ?? 0;
}
