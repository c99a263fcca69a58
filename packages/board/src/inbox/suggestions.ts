import {
  isValueField,
  QUALIFIERS,
  type Qualifier,
  qualifierOf,
} from '@culprit/core/internal/domain/search/qualifiers';
import { signal } from '@preact/signals';
import { api } from '../api.js';

export interface Suggestion {
  /** What replaces the term that is being typed. */
  readonly text: string;
  /** What it means, or how many runs have it. */
  readonly note: string;
}

/** Suggestions for the term before the caret. */
export const suggestions = signal<readonly Suggestion[]>([]);

const MOST = 8;
const TYPING_MS = 100;
let asking = 0;
let timer = 0;

/** The term that ends at the caret, and where it starts. */
function termAt(text: string, caret: number): { readonly term: string; readonly from: number } {
  const [term = ''] = /\S*$/.exec(text.slice(0, caret)) ?? [];
  return { term, from: caret - term.length };
}

/** Suggests qualifiers by their beginning, and values of a qualifier that stored runs have. */
export function suggest(text: string, caret: number): void {
  const mine = ++asking;
  window.clearTimeout(timer);
  const { term } = termAt(text, caret);
  const colon = term.indexOf(':');
  const field = colon === -1 ? null : qualifierOf(term.slice(0, colon).toLowerCase());
  if (field === null || !isValueField(field)) {
    suggestions.value = colon === -1 ? qualifiersFor(term.toLowerCase()) : [];
    return;
  }
  const prefix = term
    .slice(colon + 1)
    .replaceAll('"', '')
    .slice(0, 80);
  timer = window.setTimeout(async () => {
    const values = await api
      .listSearchValues({ field, prefix, limit: MOST })
      .then(({ values }) => values)
      .catch(() => []);
    if (mine !== asking) return;
    const only = values.length === 1 && values[0]?.value === prefix.toLowerCase();
    suggestions.value = only
      ? []
      : values.map(({ value, runs }) => ({
          text: `${field}:${quotedIfNeeded(value)}`,
          note: runs.toLocaleString('en'),
        }));
  }, TYPING_MS);
}

function qualifiersFor(beginning: string): readonly Suggestion[] {
  if (beginning.length < 2) return [];
  const names = (Object.keys(QUALIFIERS) as Qualifier[]).filter((name) => name.startsWith(beginning));
  return names.map((name) => ({ text: `${name}:`, note: QUALIFIERS[name] }));
}

function quotedIfNeeded(value: string): string {
  return /[\s"\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

export function hideSuggestions(): void {
  asking += 1;
  window.clearTimeout(timer);
  suggestions.value = [];
}

/** The text with the suggestion in place of the term before the caret, and the new caret. */
export function withSuggestion(
  text: string,
  caret: number,
  { text: chosen }: Suggestion,
): { readonly text: string; readonly caret: number } {
  const { from } = termAt(text, caret);
  const inserted = chosen.endsWith(':') ? chosen : `${chosen} `;
  return {
    text: `${text.slice(0, from)}${inserted}${text.slice(caret).trimStart()}`,
    caret: from + inserted.length,
  };
}
