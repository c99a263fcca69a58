import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, isMasked } from './cuts.js';
import { type KeyKind, kindOfKey } from './key-kinds.js';
import {
  ENCODED_QUOTE,
  ESCAPES,
  isNaming,
  LOOKED_AT,
  type Named,
  nameBefore,
  pairValue,
  valueOfName,
} from './named-values.js';
import { isBareSecret, isOptionSecret, isSecretText, NO_VALUE } from './secret-values.js';
import {
  type Below,
  closingQuote,
  cutList,
  cutParentheses,
  findFlatHeaders,
  isFlatHeaders,
  LITERAL,
  valueBelow,
} from './value-forms.js';

/** Maximum length of a quoted value: the bounds keep the scan linear. */
const QUOTED_CHARS = 4096;

/** Also credentials in query strings; the second list only if the value is long, as these names have other uses. */
const QUERY_NAMES = /^(?:sig|signature|x-(?:amz|goog)-(?:signature|credential))$/i;
const QUERY_NAMES_LONG = /^(?:code|key)$/i;

const SPACES = /^[ \t]{0,3}/;
/** What follows a comma in a password, unless it is the next name with a value. */
const MORE = /(?:,(?![\w.$-]{1,64}\s{0,2}[=:])[^\s"'`,;&<>(){}[\]|\\]+)*/y;
/** Values are judged by their first characters, and redacted to their end. */
const BARE_VALUE = /^[^\s"'`,;&<>(){}[\]|\\]{1,512}/;
const BARE_REST = /[^\s"'`,;&<>(){}[\]|\\]*/y;
const COOKIE_REST = /[^\r\n"'`<>\\]*/y;
const LINE_REST = /[^\r\n`<>\\]*/y;
const SCHEME =
  /^(bearer|basic|token|digest|negotiate|apikey|hawk|sharedkey(?:lite)?|aws4-hmac-sha256)[ \t]+/i;

const LONG_VALUE = 'x'.repeat(16);

function kindOfName(text: string, name: string, at: number, value: string): KeyKind | null {
  const kind = sensitiveKind(name);
  if (kind !== null) return kind;
  if (!/[?&;]/.test(text[at - 1] ?? '')) return null;
  if (QUERY_NAMES.test(name)) return 'token';
  return QUERY_NAMES_LONG.test(name) && value.length >= 16 ? 'token' : null;
}

/** Whether {@link findAssignments} could redact after a separator at `end`. Most separators fail this test. */
export function isSensitiveNameBefore(text: string, end: number): boolean {
  const named = nameBefore(text, end);
  if (named === null) return false;
  const { name, at } = named;
  if (/[^ -~]/.test(name)) return true;
  if (name.length < SHORTEST_NAME) return false;
  if (
    sensitiveKind(name) !== null ||
    isFlatHeaders(name) ||
    isNaming(name) ||
    LOOKED_AT.has(name.toLowerCase())
  )
    return true;
  return (
    at > 0 && /[?&;]/.test(text.charAt(at - 1)) && (QUERY_NAMES.test(name) || QUERY_NAMES_LONG.test(name))
  );
}

const SHORTEST_NAME = 3;
/** Names repeat, so they are cached; bounded in number and, by `NAME_CHARS`, in length. */
const REMEMBERED = 4096;
const kinds = new Map<string, KeyKind | null>();

function sensitiveKind(name: string): KeyKind | null {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = kindOfKey(name);
  if (kinds.size >= REMEMBERED) kinds.clear();
  // A copy: the name is a slice of the text and would keep all of it in memory.
  kinds.set(Buffer.from(name).toString(), kind);
  return kind;
}

/** The value to redact after a separator that ends at `start`, if any. */
function cutAfter(text: string, start: number, separator: string, named: Named): Cut | null {
  const { name, at } = named;
  // Most names mean nothing: their values are not read.
  if (kindOfName(text, name, at, LONG_VALUE) === null) return null;
  spend(STEPS.candidate);
  if (isSpent()) return uncheckedFrom(text, start);
  if (separator === '%') return cutEncoded(text, start, named);
  const gap = SPACES.exec(text.slice(start, start + 3))?.[0].length ?? 0;
  const below = separator === ':' ? valueBelow(text, start + gap, at) : null;
  const first = below?.from ?? start + gap;
  const unescaped = first + (LITERAL.exec(text.slice(first, first + 20))?.[0].length ?? 0);
  let from = unescaped;
  for (let n = 0; n < ESCAPES && text[from] === '\\'; n++) from++;
  if (/["'`]/.test(text[from] ?? '')) {
    const kind = kindOfName(text, name, at, LONG_VALUE);
    // Python’s and TOML’s long texts have three quotes.
    if (text.startsWith((text[from] ?? '').repeat(3), from)) from += 2;
    return cutQuoted(text, from, from - unescaped, separator, named, kind);
  }
  if (below !== null) return cutBelow(text, below, kindOfName(text, name, at, ''));
  if (separator === '==') return null;
  if (text[from] === '[') return cutList(text, from, sensitiveKind(named.name), named.name);
  if (separator === '=' && text.startsWith(')=(', start - 2))
    return cutParentheses(text, start + 1, sensitiveKind(named.name), named.name);
  const rest = text.slice(from, from + 1024);
  const own = sensitiveKind(name);
  if (own === 'auth' && SCHEME.test(rest)) return cutScheme(text, from, rest);
  if (own === 'cookie') return cutCookies(text, from, rest);
  const value = BARE_VALUE.exec(rest)?.[0] ?? '';
  spend(STEPS.value * value.length);
  const kind = own ?? kindOfName(text, name, at, value);
  if (kind === null) return null;
  const spaced = gap > 0;
  const next = text[from + value.length] ?? '';
  if (next === '(' || next === '[' || (next === '{' && value.endsWith('$'))) return null;
  if (separator !== '=' && spaced && /^[a-z]+$/.test(value) && next === ' ') return null;
  if (separator === ' ' ? !isOptionSecret(value, kind) : !isBareSecret(value, kind, separator, spaced))
    return null;
  const to = endOf(text, from + value.length, BARE_REST);
  return { from, to: kind === 'password' && separator === '=' && !spaced ? endOf(text, to, MORE) : to, kind };
}

/** Where a value ends of which the part before `at` was judged. */
function endOf(text: string, at: number, rest: RegExp): number {
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : at;
}

/** A block is never prose; a single line must be a single word. */
function cutBelow(text: string, { from, to, isBlock }: Below, kind: KeyKind | null): Cut | null {
  if (kind === null || kind === 'code') return null;
  const value = text.slice(from, Math.min(to, from + QUOTED_CHARS));
  const isWord = /^[^\s(){}[\]<>]+(?<!:)$/.test(value) && isBareSecret(value, kind, ':', true);
  return isWord || (isBlock && /[A-Za-z0-9]/.test(value) && !isMasked(value)) ? { from, to, kind } : null;
}

function cutQuoted(
  text: string,
  at: number,
  escapes: number,
  separator: string,
  named: Named,
  kind: KeyKind | null,
): Cut | null {
  if (kind === null) return null;
  const from = at + 1;
  const close = closingQuote(text, at, escapes, QUOTED_CHARS);
  spend(STEPS.value * (close - from));
  const value = text.slice(from, Math.min(close, from + QUOTED_CHARS)).replace(/\\{1,7}$/, '');
  const inner = value.trim();
  if (!isSecretText(inner, kind, named.name)) return null;
  const wordy = kind === 'token' || kind === 'auth';
  if (wordy && separator === ':' && !named.quoted && /^[A-Za-z_ ]{1,15}$/.test(inner)) return null;
  return { from, to: Math.max(close, from + value.length), kind };
}

/** A value in an encoded URL or form: it ends at an encoded `&`, `"`, `#`, `,` or `}`, or where any value ends. */
const ENCODED_VALUE = /^(?:(?!%(?:2[236C]|7D))[^\s"'`,;&<>(){}[\]|\\]){1,512}/i;

/** `token%3Dabc`, `%22password%22%3A%22…`: a URL or JSON inside a URL. */
function cutEncoded(text: string, start: number, { name }: Named): Cut | null {
  const quoted = text.startsWith(ENCODED_QUOTE, start);
  const from = quoted ? start + ENCODED_QUOTE.length : start;
  const value = ENCODED_VALUE.exec(text.slice(from, from + 1024))?.[0] ?? '';
  spend(STEPS.value * value.length);
  const kind = kindOfKey(name);
  if (kind === null || !isBareSecret(value, kind, '=', false)) return null;
  return { from, to: from + value.length, kind };
}

/** `token="abc"`: a scheme with several parts. */
const NAMED_PART = /^[\w-]{1,32}="/;

function cutScheme(text: string, from: number, rest: string): Cut | null {
  const scheme = SCHEME.exec(rest);
  if (!scheme) return null;
  const at = from + scheme[0].length;
  const simple =
    /^(?:bearer|basic|token|apikey)$/i.test(scheme[1] ?? '') && !NAMED_PART.test(text.slice(at, at + 40));
  const length = text.slice(at, at + QUOTED_CHARS).search(simple ? /[\s"'`,;<>\\]|$/ : /[\r\n`<>\\]|$/);
  spend(STEPS.value * length);
  const value = text.slice(at, at + length);
  if (isMasked(value) || value.includes('[redacted:') || NO_VALUE.test(value)) return null;
  if (
    length < 24 &&
    !/[\d=+/]|[a-z][A-Z]/.test(value) &&
    !isLetteredToken(value, text.slice(at + length, at + length + 2))
  )
    return null;
  return { from: at, to: endOf(text, at + length, simple ? BARE_REST : LINE_REST), kind: 'auth' };
}

/** Words of prose about tokens: `Authorization: Bearer header missing`. */
const ABOUT_TOKENS =
  /^(?:(?:access|id|your|my)?_?tokens?|auth.{0,14}|schemes?|headers?|credentials?|realm|prefix|format|value|string|unauthorized|forbidden)$/i;

/** A token of letters alone: a word may be prose if another one follows. */
function isLetteredToken(value: string, next: string): boolean {
  if (!/^[A-Za-z._~-]{8,}$/.test(value) || ABOUT_TOKENS.test(value)) return false;
  return value.length >= 12 || !/^ [A-Za-z]/.test(next);
}

/** `Cookie: a=b; c=d`: everything up to the end of the line. */
function cutCookies(text: string, from: number, rest: string): Cut | null {
  if (!/^[\w.-]{1,128}=[^\s=]/.test(rest)) return null;
  const length = text.slice(from, from + QUOTED_CHARS).search(/[\r\n"'`<>\\]|$/);
  spend(STEPS.value * length);
  if (text.slice(from, from + length).includes('[redacted:')) return null;
  return { from, to: endOf(text, from + length, COOKIE_REST), kind: 'cookie' };
}

const SEPARATORS = '=>|={1,3}|:=?|%3[AaDd]|,(?<=["\'`],)(?= ?[bu]?\\\\{0,7}["\'`])';
/** The space comes first: a lookbehind is read at every character where nothing else decides. */
const SEPARATORS_AND_OPTIONS = `${SEPARATORS}| (?<=--[A-Za-z][A-Za-z0-9-]{0,40} )`;

/** Finds the values in `password=…`, `"token": "…"`, `Authorization: Bearer …`, `?sig=…` and `--password …`. */
export function findAssignments(text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  let done = 0;
  /** Where the last list of headers ended. */
  let listed = 0;
  const separators = new RegExp(text.includes('--') ? SEPARATORS_AND_OPTIONS : SEPARATORS, 'g');
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const named = match.index >= done ? nameBefore(text, match.index) : null;
    if (named === null) continue;
    const after = separators.lastIndex;
    if (isFlatHeaders(named.name) && after >= listed) {
      const headers = findFlatHeaders(text, after);
      listed = headers.end;
      spend(STEPS.value * (headers.end - after));
      cuts.push(...headers.cuts);
      done = headers.cuts.at(-1)?.to ?? done;
      separators.lastIndex = Math.max(done, after);
      continue;
    }
    const other = match[0] === ',' ? pairValue(text, match.index, named) : valueOfName(text, after, named);
    if (match[0] === ',' && other === null) continue;
    const value = other !== null ? other.at : match[0] === '=>' ? afterArrow(text, after) : after;
    if (isSpent()) return [...cuts, uncheckedFrom(text, Math.max(done, after))];
    const cut =
      value < 0
        ? null
        : cutAfter(text, value, SEPARATOR_KINDS[match[0].slice(0, 2)] ?? '=', other?.named ?? named);
    if (cut === null || cut.from < done) continue;
    cuts.push(cut);
    done = cut.to;
    separators.lastIndex = Math.max(done, after);
  }
  return cuts;
}

/**
 * The start of the value in `"a" => "b"`, PHP's `[a] => b` or `["a"]=> string(1) "b"`; -1 if the arrow is
 * probably a function's.
 */
function afterArrow(text: string, after: number): number {
  if (/^ ?["'`]/.test(text.slice(after, after + 2))) return after;
  const before = text.slice(Math.max(0, after - 4), after);
  if (!/\] ?=>$/.test(before)) return -1;
  return after + (/^\s{0,16}string\(\d{1,6}\) (?=")/.exec(text.slice(after, after + 32))?.[0].length ?? 0);
}

const SEPARATOR_KINDS: Readonly<Record<string, string>> = {
  '%3': '%',
  '==': '==',
  ':': ':',
  ':=': ':',
  ' ': ' ',
};
