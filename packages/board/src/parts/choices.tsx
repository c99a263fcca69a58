import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { visible } from './text.js';

interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly label: ComponentChildren;
  /** Fields that belong to the option. */
  readonly beside?: ComponentChildren;
  readonly disabled?: boolean;
}

interface RadiosProps<Value extends string> {
  /** For screen readers. */
  readonly legend: string;
  readonly chosen: Signal<Value>;
  readonly options: readonly RadioOption<Value>[];
}

/** Options of which one is chosen: the arrow keys choose, Enter confirms. */
export function Radios<Value extends string>({ legend, chosen, options }: RadiosProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="sr">{legend}</legend>
      {options.map(({ value, label, beside, disabled = false }) => (
        <div key={value}>
          <label>
            <input
              type="radio"
              name={legend}
              value={value}
              disabled={disabled}
              checked={chosen.value === value}
              onChange={() => {
                chosen.value = value;
              }}
            />
            <span>{label}</span>
          </label>
          {beside}
        </div>
      ))}
    </fieldset>
  );
}

interface SegmentsProps<Value extends string> {
  /** For screen readers. */
  readonly legend: string;
  readonly chosen: Signal<Value>;
  readonly options: Readonly<Record<Value, string>>;
}

/** A few views of the same thing, of which one is shown. */
export function Segments<Value extends string>({ legend, chosen, options }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="sr">{legend}</legend>
      {(Object.keys(options) as Value[]).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen.value === value}
          onClick={() => {
            chosen.value = value;
          }}
        >
          {options[value]}
        </button>
      ))}
    </fieldset>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  /** Value and text. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
  readonly disabled?: boolean;
}

/** A list of which one is chosen at once, without a form. */
export function Select({ label, value, options, choose, disabled = false }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {visible(text)}
        </option>
      ))}
    </select>
  );
}

/** The limit of a `datetime-local`: without one, a browser takes years of six digits, which ISO 8601 does not. */
export const LATEST_TIME = '9999-12-31T23:59';

/** Keeps an input and a signal equal. */
export function bound(text: Signal<string>, typed?: () => void) {
  return {
    value: text.value,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      typed?.();
      text.value = currentTarget.value;
    },
  };
}
