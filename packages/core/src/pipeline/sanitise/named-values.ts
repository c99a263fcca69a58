import { STEPS, spend } from './budget.js';
import { kindOfKey } from './key-kinds.js';

/** Maximum length of a name: it keeps the scan linear. */
export const NAME_CHARS = 64;
const isSpace = (code: number) => code === 32 || code === 9;
const isLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122;
const isQuote = (code: number) => code === 34 || code === 39 || code === 96;
/** Backslashes before a quote: JSON in JSON in JSON has three, one level more has seven. */
export const ESCAPES = 7;
export const ENCODED_QUOTE = '%22';

/** A name in a text; `quoted`: something stands between it and its separator. */
export interface Named {
  readonly name: string;
  readonly at: number;
  readonly quoted: boolean;
}

/** Letters, digits and `_ . $ -`; outside ASCII everything, also the bytes of UTF-8. */
const isNameChar = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 46 ||
  code === 36 ||
  code === 45 ||
  code > 127;

/** What precedes the last word of a name of several: `mot de passe :`. Both in small letters. */
const PHRASES: ReadonlyMap<string, string> = new Map([
  ['passe', 'mot de '],
  ['sandi', 'kata '],
  ['khẩu', 'mật '],
  ['المرور', 'كلمة '],
  ['السر', 'كلمة '],
]);
/** Names that mean something only beside others, so that a text with them is always looked at. */
export const LOOKED_AT = new Set([...PHRASES.keys(), 'kty', 'kind']);

/** What PHP's dumps write after the name of a member: `[password:protected] =>`, `["token":"User":private]=>`. */
const VISIBILITY = /(?::"?[\w\\]{1,64}"?)?:(?:protected|private)\]$/;
const ENDS_OF_VISIBILITY = [':protected]', ':private]'] as const;

/** The name before a separator at `end`; it may be closed by quotes, `"]` and up to two spaces. */
export function nameBefore(text: string, end: number): Named | null {
  let spaced = end;
  for (let n = 0; n < 2 && spaced > 0 && isSpace(text.charCodeAt(spaced - 1)); n++) spaced--;
  const to = isLetter(text.charCodeAt(spaced - 1)) ? spaced : closedFrom(text, spaced, end);
  let from = to;
  while (from > 0 && to - from < NAME_CHARS && isNameChar(text.charCodeAt(from - 1))) from--;
  if (text.charCodeAt(from - 1) === 37) from = Math.min(to, from + 2);
  while (from < to && text.charCodeAt(from) === 45) from++;
  if (from === to) return null;
  const word = text.slice(from, to);
  const lead = text.charCodeAt(from - 1) === 32 ? PHRASES.get(word.toLowerCase()) : undefined;
  if (lead === undefined || text.slice(Math.max(0, from - lead.length), from).toLowerCase() !== lead)
    return { name: word, at: from, quoted: to !== spaced };
  from -= lead.length;
  return { name: text.slice(from, to), at: from, quoted: to !== spaced };
}

/** Where the name ends whose quotes and brackets end at `spaced`. */
function closedFrom(text: string, spaced: number, end: number): number {
  let to = spaced;
  if (text.startsWith('=>', end) && ENDS_OF_VISIBILITY.some((word) => text.endsWith(word, to)))
    to -= VISIBILITY.exec(text.slice(Math.max(0, to - 80), to))?.[0].length ?? 0;
  if (text.startsWith(')=(', to - 1)) to--;
  if (to > 1 && text.charCodeAt(to - 1) === 93 && isQuote(text.charCodeAt(to - 2))) to--;
  if (text.endsWith(ENCODED_QUOTE, to)) to -= ENCODED_QUOTE.length;
  if (to > 0 && isQuote(text.charCodeAt(to - 1))) to--;
  for (let n = 0; n < ESCAPES && to > 0 && text.charCodeAt(to - 1) === 92; n++) to--;
  const inBrackets = spaced === to && text.charCodeAt(to - 1) === 93;
  return inBrackets && (text.startsWith('=>', end) || (spaced === end && text[end] === '=')) ? to - 1 : to;
}

/** A value whose name does not stand right before it, and where it begins. */
interface NamedValue {
  readonly at: number;
  readonly named: Named;
}

/** Whether the value of a member of this name may be the name of another member’s value. */
export const isNaming = (name: string): boolean => /^(?:name|key)$/i.test(name);

const NAME = /[ \t]{0,3}(?<quote>\\{0,7}["']?)(?<name>[\w.$-]{2,64})\k<quote>/y;
const ATTRIBUTES = `(?:\\s{1,8}[\\w-]{1,32}=["'][^"'<>]{0,128}["']){0,6}`;
/** `, "value":`, ` value=`, YAML’s `value:` on the next line; `>` of an element; the empty line of multipart/form-data. */
const VALUE = new RegExp(
  [
    `${ATTRIBUTES}(?:\\s{0,8},)?\\s{1,64}(?:-\\s)?value[ \\t]{0,2}[:=][ \\t]{0,3}`,
    `\\s{0,8},\\s{0,64}\\\\{0,7}["']value\\\\{0,7}["'][ \\t]{0,2}:[ \\t]{0,3}`,
    `[^<>\\r\\n]{0,128}>(?=[^<>]{1,4096}</)`,
    `[^\\r\\n]{0,128}(?:\\r?\\n[^\\r\\n]{1,128}){0,3}\\r?\\n\\r?\\n`,
  ].join('|'),
  'iy',
);

/** The value that `name="password"` or `"key": "X-Api-Key"` names, in what follows. `after` is the place after the separator. */
export function valueOfName(text: string, after: number, { name, at }: Named): NamedValue | null {
  if (!isNaming(name)) return null;
  NAME.lastIndex = after;
  const own = NAME.exec(text)?.groups?.name ?? '';
  if (own === '' || kindOfKey(own) === null) return null;
  spend(STEPS.candidate);
  VALUE.lastIndex = NAME.lastIndex;
  if (!VALUE.test(text)) return null;
  return { at: VALUE.lastIndex, named: { name: own, at, quoted: true } };
}

const OPENED = /(?<![\w$.])[([]\s{0,3}[bu]?\\{0,7}["'`]$/;
const IN_LIST = /[([,]\s{0,3}\\{0,7}["'`]--?$/;
const ITEM =
  /\s{0,3}[bu]?(?<quote>\\{0,7}["'`])(?<value>[^\r\n"'`\\]{1,4096})\k<quote>\s{0,3}(?<end>[)\],])/y;

/**
 * The second of a pair, `('X-Api-Key', 'abc')`, or what follows `'--password'` in a list; the comma is at `comma`. Lists of
 * names are no pairs: what has only letters is no value, nor are sentences, except after the names of headers.
 */
export function pairValue(text: string, comma: number, named: Named): NamedValue | null {
  const kind = kindOfKey(named.name);
  const before = text.slice(Math.max(0, named.at - 16), named.at);
  const isOption = IN_LIST.test(before);
  if (kind === null || !(isOption || OPENED.test(before))) return null;
  ITEM.lastIndex = comma + 1;
  const { value = '', end = '' } = ITEM.exec(text)?.groups ?? {};
  if (end === '' || (end === ',' && !isOption)) return null;
  spend(STEPS.candidate + STEPS.value * value.length);
  const isValue =
    isOption || (/[^A-Za-z_-]/.test(value) && (kind === 'auth' || kind === 'cookie' || !/\s/.test(value)));
  return isValue ? { at: comma + 1, named } : null;
}
