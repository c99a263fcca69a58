import { LEVELS } from '../event.js';
import { RUN_STATES } from '../run.js';
import { closestOf, QUALIFIERS, type Qualifier, qualifierOf, similarQualifier } from './qualifiers.js';

/** Limits of a search. */
const SEARCH_LIMITS = { chars: 300, terms: 16 } as const;

/** One word, phrase or qualified value. A run must match all terms of a search. */
export interface SearchTerm {
  /** `null`: any field. */
  readonly field: Qualifier | null;
  /** Lower-case. */
  readonly text: string;
  /** Written in quotes: words in this order, or the whole value. */
  readonly exact: boolean;
  /** Where the term is in the searched text. */
  readonly from: number;
  readonly to: number;
}

/** Why a search cannot be answered. */
export interface SearchProblem {
  readonly code:
    | 'too_long'
    | 'too_many_terms'
    | 'open_quote'
    | 'unknown_qualifier'
    | 'empty_value'
    | 'unknown_value';
  /** The term as it was written, at most 60 characters. */
  readonly word: string;
  /** What was probably meant; `null` if nothing is similar. */
  readonly instead: string | null;
}

/** The terms of a search, or why it cannot be answered. */
export type ParsedSearch = { readonly terms: readonly SearchTerm[] } | { readonly problem: SearchProblem };

/** `name:` before a value. `TypeError: x`, `http://x` and `Cart::total` are words. */
const QUALIFIED = /([a-z_]{1,40}):(?![:/\s]|$)/iy;
const UNFINISHED = /([a-z_]{1,40}):(?=\s|$)/iy;
const BLANK = /\s*/y;
const WORD = /\S+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;

/** Reads `level:fatal env:prod "exact words"`. Linear in the length of the text. */
export function parseSearch(text: string): ParsedSearch {
  if (text.length > SEARCH_LIMITS.chars) return problem('too_long', text, null);
  const terms: SearchTerm[] = [];
  for (let at = matchAt(BLANK, text, 0)?.end ?? 0; at < text.length; ) {
    const term = termAt(text, at);
    if ('problem' in term) return term;
    if (term.text !== '') terms.push(term);
    if (terms.length > SEARCH_LIMITS.terms) return problem('too_many_terms', text, null);
    at = matchAt(BLANK, text, term.to)?.end ?? text.length;
  }
  return { terms };
}

function termAt(text: string, from: number): SearchTerm | { readonly problem: SearchProblem } {
  const named = matchAt(QUALIFIED, text, from);
  const name = named?.group.toLowerCase() ?? '';
  const field = qualifierOf(name);
  const start = named === null ? from : named.end;
  const unfinished = matchAt(UNFINISHED, text, from)?.group.toLowerCase();
  if (unfinished !== undefined && qualifierOf(unfinished) !== null)
    return problem('empty_value', `${unfinished}:`, null);
  const quoted = matchAt(QUOTED, text, start);
  if (quoted === null && text[start] === '"') return problem('open_quote', text.slice(start), null);
  const word = quoted ?? matchAt(WORD, text, start);
  if (word === null) return problem('empty_value', text.slice(from), null);
  const raw = quoted === null ? word.group : word.group.replace(/\\(.)/gs, '$1');
  if (named !== null && field === null)
    return problem('unknown_qualifier', text.slice(from, word.end), similarQualifier(name));
  const value = raw.trim().toLowerCase();
  if (field !== null && value === '') return problem('empty_value', `${name}:`, null);
  const known = { state: RUN_STATES, level: LEVELS }[field as string] as readonly string[] | undefined;
  if (known !== undefined && !known.some((one) => (quoted === null ? one.startsWith(value) : one === value)))
    return problem('unknown_value', text.slice(from, word.end), closestOf(value, known) ?? known.join(', '));
  return { field, text: value, exact: quoted !== null, from, to: word.end };
}

function matchAt(pattern: RegExp, text: string, at: number): { group: string; end: number } | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? null : { group: found[1] ?? found[0], end: pattern.lastIndex };
}

const MAX_SHOWN = 60;

function problem(
  code: SearchProblem['code'],
  word: string,
  instead: string | null,
): { readonly problem: SearchProblem } {
  return { problem: { code, word: word.slice(0, MAX_SHOWN), instead } };
}

/** The problem as a sentence with what to do. */
export function searchProblemText({ code, word, instead }: SearchProblem): string {
  const name = word.slice(0, word.indexOf(':'));
  switch (code) {
    case 'too_long':
      return `The search may have at most ${SEARCH_LIMITS.chars} characters.`;
    case 'too_many_terms':
      return `The search may have at most ${SEARCH_LIMITS.terms} terms.`;
    case 'open_quote':
      return `The quote in ${word} is not closed. Add a " after the last word.`;
    case 'empty_value':
      return `${word} needs a value, such as ${EXAMPLES[name] ?? `${name}:value`}.`;
    case 'unknown_value':
      return `${word} is not a ${name}. Use ${instead}.`;
    case 'unknown_qualifier': {
      const meant =
        instead === null ? `Use one of ${Object.keys(QUALIFIERS).join(', ')}` : `Did you mean "${instead}:"`;
      const end = instead === null ? '.' : '?';
      return `"${name}:" is not a qualifier. ${meant}${end} To search for the text itself, put it in quotes.`;
    }
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  level: 'level:fatal',
  env: 'env:prod',
  release: 'release:1.2',
};

/** The search with this as its only value of the qualifier, in quotes; `null` removes the qualifier. */
export function withQualifier(text: string, field: Qualifier, value: string | null): string {
  const parsed = parseSearch(text);
  const own = 'problem' in parsed ? [] : parsed.terms.filter((term) => term.field === field);
  let rest = text;
  for (const { from, to } of [...own].reverse()) rest = `${rest.slice(0, from)}${rest.slice(to)}`;
  const added = value === null ? '' : `${field}:${quoted(value)}`;
  return [rest.replace(/\s+/g, ' ').trim(), added].filter(Boolean).join(' ');
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
