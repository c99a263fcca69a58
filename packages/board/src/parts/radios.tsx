import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

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
