import { isSensitiveNameBefore } from './assignments.js';
import { BLANKS, ENCODINGS } from './encodings.js';
import { isHarmless, rememberHarmless } from './harmless-names.js';
import { type IssuerPrefilter, threeAt } from './issuer-prefilter.js';

/**
 * The features that a text must have for a rule to match. Invariant: never more than the rule's pattern requires, so
 * that skipping a text is always right; often less.
 */
export const NEEDS = {
  /** `x@` or `%40`. */
  at: 1,
  /** A separator after a sensitive name. */
  assign: 2,
  /** `/ho…`, `\Use…`, `/Doc…`. */
  home: 4,
  /** 13 digits, with at most a single space, dash or dot between them. */
  card: 8,
  /** Five digits, then a dash. */
  ssn: 16,
  /** Two capitals before a digit. */
  iban: 32,
  /** A run of letters, digits, `_` and `-` that the issuer prefilter lets through. */
  run: 64,
  /** `--`, and `e-L` of `Private-Lines`. */
  dashes: 128,
  /** `…rer ` or `…sic `: bearer, basic. */
  scheme: 256,
  /** `-u`. */
  user: 512,
  /** A colon, or a dot after a digit. */
  address: 1024,
  /** `</`, `<!`. */
  element: 2048,
  /** The first two characters of an encoding, or a character outside ASCII that looks like a space: the text is decoded. */
  encoded: 8192,
  /** `…ied b`, `…ied w`, `…rd '`: identified by, identified with, password. */
  sql: 16384,
  /** `-p`, `-a` or `-w` after a space or a quote. */
  option: 32768,
  /** `:5432:a`: fields of a password file. */
  fields: 65536,
  /** `…gin `: login. */
  login: 131072,
} as const;

/** In addition to {@link NEEDS}, for a JSON string: it has an escape, so the other features are unreliable. */
export const ESCAPED = 4096;

const CARD_DIGITS = 13;
const SSN_DIGITS = 5;

/** Letters: the most frequent, so they cost a single lookup. */
const LETTER = 0;
/** Only ends a run of word characters. */
const OTHER = 1;
const DIGIT = 2;
const DASH = 3;
const SPACE = 4;
const SEPARATOR = 5;
const SLASH = 6;
const AT = 7;
const PERCENT = 8;
const DOT = 9;
const ESCAPE = 10;
/** Ends a JSON string. */
const STOP = 11;
/** May begin an encoding or, after `<`, a section of XML. */
const CODED = 12;
/** A token may begin after it, as after a dash. */
const UNDERSCORE = 13;
const EXCLAMATION = 33;
const LESS_THAN = 60;
const COMMA = 44;
const COLON = 58;
const STAR = 42;
/** Beyond the end of every text, and small enough for fast arithmetic. */
const FAR = 2 ** 30 - 1;
const BRACKET = 91;
const MAX_COLOUR_CHARS = 20;
const BACKSLASH = 92;

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
const isCoded = (first: number, second = 0) => second < 128 && CODED_PAIRS[first * 128 + second] === 1;

/** 1 for every code of {@link BLANKS}. */
const IS_BLANK = new Uint8Array(65_536);
/** In JSON, which is read byte by byte, the first bytes of these characters. */
const BLANK_BYTES = new Set<number>();
for (const blank of BLANKS.keys()) {
  IS_BLANK[blank.charCodeAt(0)] = 1;
  BLANK_BYTES.add(Buffer.from(blank)[0] ?? 0);
}

/** The class of every character below 256; all others are {@link OTHER}. */
const IN_TEXT = classes([
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER],
  ['_', UNDERSCORE],
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
const IN_JSON = Uint8Array.from(IN_TEXT, (kind, code) => {
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

/**
 * Finds the {@link NEEDS} of `text`, whose code units are in `units` from `start` on, in one pass. Most texts have too
 * few for any rule.
 */
export function scan(units: Uint16Array, start: number, text: string, prefilter: IssuerPrefilter): number {
  return pass(IN_TEXT, units, start, start + text.length, text, start, prefilter);
}

/**
 * The same for a JSON string that starts at `start`. {@link scannedTo} is where it ended. May find more features than
 * the string has, never fewer.
 */
export function scanInJson(
  units: Uint16Array,
  start: number,
  json: string,
  prefilter: IssuerPrefilter,
): number {
  return pass(IN_JSON, units, start, json.length, json, 0, prefilter);
}

let last = 0;
/** Where the last scan ended; in JSON, at the closing quote if the string is valid. */
export const scannedTo = () => last;

/** `text` has the same code units, from `base` on. */
function pass(
  classOf: Uint8Array,
  units: Uint16Array,
  start: number,
  most: number,
  text: string,
  base: number,
  prefilter: IssuerPrefilter,
): number {
  const { shortestRun, breakers, leastFrom } = prefilter;
  let end = most;
  let found = 0;
  /** Where the last run of word characters ended. */
  let broken = start - 1;
  /** Where the run must end at least for a token that begins after one of its dashes or underscores. */
  let reach = FAR;
  /** The last digit, and the number of digits in its row. */
  let digit = start - 3;
  let row = 0;
  for (let index = start; index < end; index++) {
    const code = units[index] ?? 0;
    const kind = code < 256 ? classOf[code] : OTHER;
    if (kind === LETTER) continue;
    if (kind === DIGIT) {
      const goesOn = digit === index - 1 || (digit === index - 2 && isGap(units[index - 1]));
      row = goesOn ? row + 1 : 1;
      digit = index;
      if (row === CARD_DIGITS) found |= NEEDS.card;
      else if (row === 1 && index - start > 1 && isCapital(units[index - 1]) && isCapital(units[index - 2])) {
        found |= NEEDS.iban;
      }
      continue;
    }
    if (kind === UNDERSCORE || kind === DASH) {
      reach = Math.min(reach, index + 1 + (leastFrom[threeAt(units, index + 1)] ?? 0));
      if (kind === UNDERSCORE) continue;
      found |= atDash(units, index, index + 1 < end ? units[index + 1] : 0, digit === index - 1 ? row : 0);
      continue;
    }
    if (kind === STOP) {
      end = index;
      break;
    }
    const mayEnd = index - broken > shortestRun || (code < 128 && breakers[code] === 1);
    if (mayEnd && (found & NEEDS.run) === 0 && holdsToken(prefilter, units, broken + 1, index, code, reach))
      found |= NEEDS.run;
    broken = index;
    reach = FAR;
    if (kind === OTHER || kind === CODED) {
      if (kind === CODED || code > 255) found |= atCoded(units, index);
      continue;
    }
    if (kind === SPACE) {
      if (index - start >= 2) found |= atSpace(units, index);
    } else if (kind === SEPARATOR) {
      if (code === COMMA && !isInPair(units, index)) continue;
      if (code === COLON) found |= atColon(units, index, digit === index - 1 ? row : 0);
      if ((found & NEEDS.assign) === 0 && isAssigned(units, start, index, text, base)) found |= NEEDS.assign;
    } else if (kind === SLASH) {
      found |= atSlash(units, index);
    } else if (kind === AT) {
      if (index > start && endsMailboxOrPassword(units, index, start)) found |= NEEDS.at;
    } else if (kind === DOT) {
      if (digit === index - 1) found |= NEEDS.address;
    } else if (kind === ESCAPE) {
      found |= ESCAPED;
      broken = ++index;
      reach = FAR;
    } else if (index + 2 < end) {
      found |= atPercent(units, index);
      if (isSeparator(units, index) && isSensitiveNameBefore(text, index - base)) found |= NEEDS.assign;
    }
  }
  last = end;
  if (end - broken <= shortestRun) return found;
  return holdsToken(prefilter, units, broken + 1, end, 0, reach) ? found | NEEDS.run : found;
}

/** {@link IssuerPrefilter.mayHold} of the run from `from` to `to`, for the few runs whose first or last characters are a token's. */
function holdsToken(
  prefilter: IssuerPrefilter,
  units: Uint16Array,
  from: number,
  to: number,
  code: number,
  reach: number,
): boolean {
  const { leastFrom, mayEnd } = prefilter;
  const mayBegin = to >= reach || to - from >= (leastFrom[threeAt(units, from)] ?? 0);
  if (!mayBegin && mayEnd[threeAt(units, to - 2)] !== 1) return false;
  return prefilter.mayHold(units, from, to, code);
}

/** Whether the name before the separator at `index` may be a secret's. */
function isAssigned(units: Uint16Array, start: number, index: number, text: string, base: number): boolean {
  if (isHarmless(units, start, index)) return false;
  if (isSensitiveNameBefore(text, index - base)) return true;
  rememberHarmless(units);
  return false;
}

/** Whether a comma separates two quoted texts, as in `('X-Api-Key', b'…')`. The second one's quote may be escaped. */
function isInPair(units: Uint16Array, comma: number): boolean {
  if (!isQuote(units[comma - 1])) return false;
  const next = units[comma + 1] === 32 ? units[comma + 2] : units[comma + 1];
  return isQuote(next) || next === BACKSLASH || next === 98 || next === 117;
}

const isQuote = (code: number | undefined) => code === 34 || code === 39 || code === 96;

const isGap = (code: number | undefined) => code === 45 || code === 32 || code === 46;
const isCapital = (code = 0) => code >= 65 && code <= 90;
/** Lower case, for letters. */
const lower = (units: Uint16Array, index: number) => (units[index] ?? 0) | 32;

function atPercent(units: Uint16Array, index: number): number {
  if (!isCoded(units[index] ?? 0, units[index + 1])) return 0;
  return units[index + 1] === 52 && units[index + 2] === 48 ? NEEDS.encoded | NEEDS.at : NEEDS.encoded;
}

/** `%3A`, `%3D`. */
function isSeparator(units: Uint16Array, index: number): boolean {
  const last = lower(units, index + 2);
  return units[index + 1] === 51 && (last === 97 || last === 100);
}

/** `--password x` assigns too. */
function atDash(units: Uint16Array, index: number, next: number | undefined, row: number): number {
  const found = row >= SSN_DIGITS ? NEEDS.ssn : 0;
  if (next === 45) return found | NEEDS.dashes | NEEDS.assign;
  if (next === 76 && units[index - 1] === 101) return found | NEEDS.dashes;
  if (next === 117) return found | NEEDS.user;
  const isOption = (next === 112 || next === 97 || next === 119) && !isWordChar(units[index - 1]);
  return isOption ? found | NEEDS.option : found;
}

/** Letters, digits and more: what stands before an option is a space or a quote. */
const isWordChar = (code = 0) => code > 39;

/** Looks back up to three characters. At the start of a text they may belong to the one before, which does no harm. */
function atSpace(units: Uint16Array, index: number): number {
  const last = lower(units, index - 1);
  if (last !== 114 && last !== 99 && last !== 100 && last !== 110) return 0;
  const second = lower(units, index - 2);
  if (last === 110) return second === 105 && lower(units, index - 3) === 103 ? NEEDS.login : 0;
  if (last === 114) return second === 101 && lower(units, index - 3) === 114 ? NEEDS.scheme : 0;
  if (last === 99) return second === 105 && lower(units, index - 3) === 115 ? NEEDS.scheme : 0;
  const next = units[index + 1] ?? 0;
  if (second === 114) return next === 39 || next === 34 || next === 32 || next === 9 ? NEEDS.sql : 0;
  const byOrWith = (next | 32) === 98 || (next | 32) === 119;
  return byOrWith && second === 101 && lower(units, index - 3) === 105 ? NEEDS.sql : 0;
}

/** `:5432:a` are fields of a password file; `:1042:5` is a place in a source. `row`: digits right before the colon. */
function atColon(units: Uint16Array, index: number, row: number): number {
  const isField =
    row > 3 &&
    units[index - row - 1] === COLON &&
    (lower(units, index + 1) >= 97 || units[index + 1] === STAR);
  return isField ? NEEDS.address | NEEDS.fields : NEEDS.address;
}

function atSlash(units: Uint16Array, index: number): number {
  let found = units[index - 1] === LESS_THAN ? NEEDS.element : 0;
  if (units[index] === BACKSLASH && isCoded(BACKSLASH, units[index + 1])) found |= NEEDS.encoded;
  const next = lower(units, index + 1);
  const second = lower(units, index + 2);
  if (next === 104 || next === 100) return second === 111 ? found | NEEDS.home : found;
  return next === 117 && second === 115 && lower(units, index + 3) === 101 ? found | NEEDS.home : found;
}

function atCoded(units: Uint16Array, index: number): number {
  const code = units[index] ?? 0;
  if (code === EXCLAMATION) return units[index - 1] === LESS_THAN ? NEEDS.element : 0;
  if (code > 255) return IS_BLANK[code] === 1 ? NEEDS.encoded : 0;
  if (code === BRACKET) return endsColour(units, index + 1) ? NEEDS.encoded : 0;
  return code > 127 || IS_BLANK[code] === 1 || isCoded(code, units[index + 1]) ? NEEDS.encoded : 0;
}

/** `31m` after a bracket is a colour without its escape; `0]` is an index, which is far more frequent. */
function endsColour(units: Uint16Array, start: number): boolean {
  let at = start;
  const most = start + MAX_COLOUR_CHARS + 1;
  while (at < most && isColourChar(units[at])) at++;
  return at > start && units[at] === 109;
}

const isColourChar = (code = 0) => (code >= 48 && code <= 57) || code === 59;

/**
 * Whether the @ at `index` may end a mailbox's name or a password, in a text that begins at `start`. An @ at the start of a
 * word (`/@sentry/node`, `'@scope`) ends neither. After an apostrophe it may end a mailbox, whose name may hold one; after a
 * slash, a password that ends in one.
 */
function endsMailboxOrPassword(units: Uint16Array, index: number, start: number): boolean {
  const before = units[index - 1] ?? 0;
  if (before === 39) return index - 1 > start && isMailboxChar(units[index - 2] ?? 0);
  if (before === 47) return isInPassword(units, index, start);
  return !isBlankOrQuote(before);
}

const isBlankOrQuote = (code: number) => code === 32 || (code >= 9 && code <= 13) || code === 34;
const PASSWORD_CHARS = 256;

/** Whether a colon other than that of `://` is before the @ in the same word. */
function isInPassword(units: Uint16Array, index: number, start: number): boolean {
  const least = Math.max(start, index - PASSWORD_CHARS - 1);
  for (let at = index - 1; at >= least; at--) {
    const code = units[at] ?? 0;
    if (isBlankOrQuote(code)) return false;
    if (code === 58 && !(units[at + 1] === 47 && units[at + 2] === 47)) return true;
  }
  return false;
}

/** Letters, digits and `_ . % + ' -`. */
const isMailboxChar = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  isMailboxSign(code);
const isMailboxSign = (code: number) =>
  code === 95 || code === 46 || code === 37 || code === 43 || code === 39 || code === 45;
