import { BLANKS, ENCODINGS } from './encodings.js';

/** Letters and `_`: the most frequent, so they cost a single lookup. */
export const LETTER = 0;
/** Only ends a run of word characters. */
export const OTHER = 1;
export const DIGIT = 2;
export const DASH = 3;
export const SPACE = 4;
export const SEPARATOR = 5;
export const SLASH = 6;
export const AT = 7;
export const PERCENT = 8;
export const DOT = 9;
export const ESCAPE = 10;
/** Ends a JSON string. */
export const STOP = 11;
/** May begin an encoding or, after `<`, a section of XML. */
export const CODED = 12;
export const EXCLAMATION = 33;

/** By two codes below 128: 1 if they begin an encoding. */
const CODED_PAIRS = new Uint8Array(128 * 128);
/** The same for a single code: 1 if some pair begins with it. */
const CODED_FIRST = new Uint8Array(128);
const LEAD = new RegExp(`^(?:${ENCODINGS.map(({ lead }) => lead).join('|')})$`);
for (let pair = 0; pair < CODED_PAIRS.length; pair++) {
  if (!LEAD.test(String.fromCharCode(pair >> 7, pair & 127))) continue;
  CODED_PAIRS[pair] = 1;
  CODED_FIRST[pair >> 7] = 1;
}
/** Whether two codes begin an encoding. */
export const isCoded = (first: number, second = 0) => second < 128 && CODED_PAIRS[first * 128 + second] === 1;

/** 1 for every code of {@link BLANKS}. */
export const IS_BLANK = new Uint8Array(65_536);
/** In JSON, which is read byte by byte, the first bytes of these characters. */
const BLANK_BYTES = new Set<number>();
for (const blank of BLANKS.keys()) {
  IS_BLANK[blank.charCodeAt(0)] = 1;
  BLANK_BYTES.add(Buffer.from(blank)[0] ?? 0);
}

/** The class of every character below 256; all others are {@link OTHER}. */
export const IN_TEXT = classes([
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', LETTER],
  ['0123456789', DIGIT],
  ['-', DASH],
  [' \t', SPACE],
  [':=,', SEPARATOR],
  ['/\\', SLASH],
  ['@', AT],
  ['%', PERCENT],
  ['.', DOT],
]);

for (let code = 0; code < 256; code++) {
  const isCoding = code === EXCLAMATION || CODED_FIRST[code] === 1 || IS_BLANK[code] === 1;
  if (IN_TEXT[code] === OTHER && isCoding) IN_TEXT[code] = CODED;
}

/** A JSON string ends at its quote, or at a character that is invalid in it. */
export const IN_JSON = Uint8Array.from(IN_TEXT, (kind, code) => {
  if (code < 32 || code === 34) return STOP;
  if (code === 92) return ESCAPE;
  return BLANK_BYTES.has(code) ? CODED : kind;
});

function classes(groups: readonly (readonly [string, number])[]): Uint8Array {
  const table = new Uint8Array(256).fill(OTHER);
  for (const [chars, kind] of groups) {
    for (let index = 0; index < chars.length; index++) table[chars.charCodeAt(index)] = kind;
  }
  return table;
}
