import type { ComponentChildren, Ref } from 'preact';

interface ComboboxProps<Option> {
  readonly id: string;
  /** The id of the list; those of its options are `LIST-PLACE`. */
  readonly list: string;
  /** Of the list, for screen readers. */
  readonly label: string;
  readonly options: readonly Option[];
  /** Of the option that is marked; -1: none. */
  readonly active: number;
  readonly keyOf: (option: Option) => string;
  readonly show: (option: Option) => ComponentChildren;
  /** The arrow keys have marked another option. */
  readonly mark: (place: number) => void;
  /** An option was clicked. */
  readonly choose: (option: Option, place: number) => void;
  /** The other keys, and the arrow keys where there is no option. */
  readonly press?: (event: KeyboardEvent) => void;
  readonly field: Ref<HTMLInputElement>;
  readonly text: string;
  readonly placeholder: string;
  /** If no label belongs to it. It is a search field then. */
  readonly name?: string;
  readonly typed: (field: HTMLInputElement) => void;
  readonly left?: () => void;
  /** Between field and list. */
  readonly children?: ComponentChildren;
}

/** A text field with a list of options below it. The focus stays in the field, which handles the keys. */
export function Combobox<Option>(props: ComboboxProps<Option>) {
  const { id, list, label, options, active, keyOf, show, mark, choose, press, field, children } = props;
  const { text, placeholder, name, typed, left } = props;
  const count = options.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || count === 0) {
      press?.(event);
      return;
    }
    // Without a marked option, Up marks the last one.
    mark(active === -1 && by === -1 ? count - 1 : (active + by + count) % count);
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={field}
        id={id}
        type={name === undefined ? 'text' : 'search'}
        // biome-ignore lint/a11y/noRedundantRoles: without a list, the role is not implicit
        role="combobox"
        list={undefined}
        aria-expanded={count > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active === -1 || count === 0 ? undefined : `${list}-${active}`}
        autocomplete="off"
        spellcheck={false}
        maxLength={300}
        value={text}
        placeholder={placeholder}
        aria-label={name}
        onInput={({ currentTarget }) => typed(currentTarget)}
        onBlur={left}
        onKeyDown={onKeyDown}
      />
      {children}
      <div id={list} role="listbox" aria-label={label} hidden={count === 0}>
        {options.map((option, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={keyOf(option)}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option, place)}
          >
            {show(option)}
          </div>
        ))}
      </div>
    </>
  );
}
