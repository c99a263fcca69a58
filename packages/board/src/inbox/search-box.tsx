import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ICONS, Icon } from '../parts/icons.js';
import { Key } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { filter, setFilter } from './inbox-state.js';
import { focusRow } from './row-focus.js';
import { hideSuggestions, type Suggestion, suggest, suggestions, withSuggestion } from './suggestions.js';

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
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = shown[at];
    if (shown.length > 0 && by !== undefined) {
      active.value = (at + by + shown.length + 1) % (shown.length + 1);
      if (active.value === shown.length) active.value = by === 1 ? 0 : shown.length - 1;
    } else if (shown.length > 0 && event.key === 'Escape') hideSuggestions();
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
      <input
        ref={input}
        id="search"
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: without a list, the role is not implicit
        role="combobox"
        list={undefined}
        aria-expanded={shown.length > 0}
        aria-controls="suggestions"
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined}
        value={query}
        placeholder="Search, or level:fatal env:prod"
        aria-label="Search runs"
        autocomplete="off"
        spellcheck={false}
        maxLength={300}
        onInput={({ currentTarget }) =>
          type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
        }
        onKeyDown={press}
        onBlur={hideSuggestions}
      />
      <Key name="/" />
      <div id="suggestions" role="listbox" aria-label="Suggestions" hidden={shown.length === 0}>
        {shown.map((one, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={one.text}
            id={`suggestion-${place}`}
            role="option"
            aria-selected={place === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
          >
            <span class="untrusted">{visible(one.text)}</span> <span class="soft">{one.note}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
