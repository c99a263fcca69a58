import {
  isValueField,
  QUALIFIERS,
  type Qualifier,
  qualifierOf,
} from '@culprit/core/internal/domain/search/qualifiers';
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { Combobox } from '../parts/combobox.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Key } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { filter, setFilter } from './inbox-state.js';
import { focusRow } from './row-focus.js';

/** The search field with its suggestions. Down and Enter lead to the suggestions if there are any, otherwise to the results. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number | null>(null);
  const active = useSignal(-1);
  const { query } = filter.value;
  const shown = suggestions.value;
  const at = Math.min(active.value, shown.length - 1);
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });

  const type = (text: string, place: number) => {
    active.value = -1;
    setFilter({ query: text });
    suggest(text, place);
  };
  const choose = (chosen: Suggestion) => {
    const next = withSuggestion(query, input.current?.selectionStart ?? query.length, chosen);
    caret.current = next.caret;
    type(next.text, next.caret);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const chosen = shown[at];
    if (shown.length > 0 && event.key === 'Escape') hideSuggestions();
    else if (event.key === 'Enter' && chosen !== undefined) choose(chosen);
    else if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    else {
      hideSuggestions();
      if (!focusRow(0)) return;
    }
    event.preventDefault();
  };
  return (
    <div class="search">
      <Icon path={ICONS.search} />
      <Combobox
        field={input}
        id="search"
        list="suggestions"
        label="Suggestions"
        options={shown}
        active={at}
        keyOf={({ text }) => text}
        show={({ text, note }) => (
          <>
            <Text of={text} /> <span class="soft">{note}</span>
          </>
        )}
        mark={(place) => {
          active.value = place;
        }}
        choose={choose}
        press={press}
        text={query}
        placeholder="Search, or level:fatal env:prod"
        name="Search runs"
        typed={({ value, selectionStart }) => type(value, selectionStart ?? value.length)}
        left={hideSuggestions}
      >
        <Key name="/" />
      </Combobox>
    </div>
  );
}

interface Suggestion {
  /** What replaces the term that is being typed. */
  readonly text: string;
  /** What it means, or how many runs have it. */
  readonly note: string;
}

/** Suggestions for the term before the caret. */
const suggestions = signal<readonly Suggestion[]>([]);

const MAX = 8;
const TYPING_MS = 100;
let asking = 0;
let timer = 0;

/** The term that ends at the caret, and where it starts. */
function termAt(text: string, caret: number): { readonly term: string; readonly from: number } {
  const [term = ''] = /\S*$/.exec(text.slice(0, caret)) ?? [];
  return { term, from: caret - term.length };
}

/** Suggests qualifiers by their beginning, and values of a qualifier that stored runs have. */
function suggest(text: string, caret: number): void {
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
      .listSearchValues({ field, prefix, limit: MAX })
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

function hideSuggestions(): void {
  asking += 1;
  window.clearTimeout(timer);
  suggestions.value = [];
}

/** The text with the suggestion in place of the term before the caret, and the new caret. */
function withSuggestion(
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
