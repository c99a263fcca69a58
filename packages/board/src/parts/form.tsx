import { ApiError } from '@culprit/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { report } from '../state/session.js';
import { Button } from './button.js';
import { LATEST_TIME } from './choices.js';
import { visible } from './text.js';

/** A field of a form, by the member of the request that it fills. */
export interface FieldRow {
  readonly label: string;
  /** Of the input: its type, its limits. A `datetime-local` gives a time in ISO 8601. */
  readonly input?: JSX.IntrinsicElements['input'];
  /** Value and text; makes it a list of which one is chosen, at first the first. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** Value and meaning; makes it check boxes of which any are chosen. */
  readonly choices?: Readonly<Record<string, string>>;
  /** What follows from a choice: the chosen ones, with those that they need. */
  readonly complete?: (chosen: readonly string[]) => readonly string[];
  readonly first?: string | readonly string[];
  /** The field without which this one is not asked. */
  readonly needs?: string;
}
type FieldRows = Readonly<Record<string, FieldRow>>;
type Value = string | readonly string[];

/** What is in the fields: the chosen ones, or a text without spaces around it, empty if there is none. */
export type Values<Fields extends FieldRows> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly choices: object }
    ? readonly string[]
    : string;
};

interface FormProps<Fields extends FieldRows> {
  /** The ids of its fields are `ID-NAME`. */
  readonly id: string;
  readonly title: string;
  /** The title is for screen readers: the button that opened the form has said it. */
  readonly bare?: boolean;
  readonly fields: Fields;
  /** Two fields side by side. */
  readonly paired?: boolean;
  /** The field that gets the focus when the form opens. */
  readonly focus?: keyof Fields & string;
  /** On the button that submits. */
  readonly submit: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Whether it can be sent. */
  readonly ready?: (values: Values<Fields>) => boolean;
  /** Below the fields. */
  readonly note?: (values: Values<Fields>) => ComponentChildren;
  /** Beside the buttons. */
  readonly hint?: string;
  readonly cancel?: (() => void) | undefined;
  /** What core refuses is shown at the field that its answer names, or below all. */
  readonly send: (values: Values<Fields>) => Promise<unknown>;
  /** After it was sent, the fields are as at first. */
  readonly clears?: boolean;
}

/** A form that sends one request at a time. */
export function Form<const Fields extends FieldRows>(props: FormProps<Fields>) {
  const { id, title, bare, fields, paired, focus, submit, danger, disabled, note, hint, cancel, send } =
    props;
  const entered = useSignal<Readonly<Record<string, Value>>>({});
  const problem = useSignal<FormProblem | null>(null);
  const busy = useSignal(false);
  useEffect(() => {
    if (focus !== undefined) focusField(id, focus);
  }, []);
  const raw = (name: string) => shownIn(fields[name], entered.value[name]);
  const isOff = ({ needs }: FieldRow) => needs !== undefined && String(raw(needs)).trim() === '';
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isOff(field) ? '' : sent(field, raw(name))]),
  ) as Values<Fields>;
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      await send(values);
      if (props.clears) entered.value = {};
    } catch (error) {
      problem.value = problemOf(error, Object.keys(fields));
      if (problem.value?.field) focusField(id, problem.value.field);
    } finally {
      busy.value = false;
    }
  };
  const rows = Object.entries(fields).map(([name, field]) => (
    <Field
      key={name}
      id={`${id}-${name}`}
      field={field}
      value={raw(name)}
      off={isOff(field)}
      problem={problem.value?.field === name ? problem.value.text : null}
      change={(value) => {
        entered.value = { ...entered.value, [name]: value };
      }}
    />
  ));
  return (
    <form class="panel" aria-label={visible(title)} onSubmit={onSubmit}>
      {!bare && <h3>{visible(title)}</h3>}
      {paired ? <div class="pair">{rows}</div> : rows}
      {note?.(values)}
      {problem.value?.field === null && (
        <p class="problem untrusted" role="alert">
          {visible(problem.value.text)}
        </p>
      )}
      <div class="actions">
        <button
          type="submit"
          class={`button ${danger ? 'danger' : 'primary'}`}
          disabled={disabled || busy.value || props.ready?.(values) === false}
        >
          {submit}
        </button>
        {cancel !== undefined && <Button onClick={cancel}>Cancel</Button>}
        {hint !== undefined && <span class="soft">{hint}</span>}
      </div>
    </form>
  );
}

/** Why core refused a form: the field that its answer names, or the form as a whole. */
interface FormProblem {
  /** `null`: none of the form's. */
  readonly field: string | null;
  readonly text: string;
}

/** `null`: it is said elsewhere, because the session has ended. */
function problemOf(error: unknown, fields: readonly string[]): FormProblem | null {
  const { path = null, status = 0 } = error instanceof ApiError ? error : {};
  if (status === 401) {
    report(error);
    return null;
  }
  const text = error instanceof Error ? error.message : String(error);
  return { field: path !== null && fields.includes(path) ? path : null, text };
}

function focusField(form: string, name: string): void {
  document.getElementById(`${form}-${name}`)?.focus();
}

/** What is shown in a field: what was entered, or what is there at first. */
function shownIn(field: FieldRow | undefined, entered: Value | undefined): Value {
  const { choices, options, first = choices === undefined ? '' : [] } = field ?? {};
  const value = entered ?? first;
  if (options === undefined || options.some(([one]) => one === value)) return value;
  return options[0]?.[0] ?? '';
}

function sent({ input }: FieldRow, value: Value): Value {
  if (typeof value !== 'string') return value;
  // A local time without a zone is the reader's. Core says what is wrong with a text that is no time.
  const at = input?.type === 'datetime-local' ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(at) ? value.trim() : new Date(at).toISOString();
}

interface FieldProps {
  readonly id: string;
  readonly field: FieldRow;
  readonly value: Value;
  readonly off: boolean;
  /** What core says about it. */
  readonly problem: string | null;
  readonly change: (value: Value) => void;
}

/** A labelled field, with what core says about it below. */
function Field({ id, field, value, off, problem, change }: FieldProps) {
  const { label, input, options, choices } = field;
  const refusal = problem !== null && (
    // Check boxes have no field that gets the focus and is described by it.
    <p class="problem untrusted" id={`${id}-problem`} role={choices === undefined ? undefined : 'alert'}>
      {visible(problem)}
    </p>
  );
  if (choices !== undefined)
    return (
      <Choices field={field} choices={choices} chosen={value as readonly string[]} change={change}>
        {refusal}
      </Choices>
    );
  const attributes = {
    id,
    disabled: off,
    value: value as string,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      change(event.currentTarget.value),
    ...(problem === null ? {} : { 'aria-describedby': `${id}-problem`, 'aria-invalid': true }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options === undefined ? (
        <input
          autocomplete="off"
          spellcheck={false}
          max={input?.type === 'datetime-local' ? LATEST_TIME : undefined}
          {...input}
          {...attributes}
        />
      ) : (
        <select {...attributes}>
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {visible(text)}
            </option>
          ))}
        </select>
      )}
      {refusal}
    </div>
  );
}

interface ChoicesProps {
  readonly field: FieldRow;
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
  readonly children: ComponentChildren;
}

/** Check boxes of which any may be chosen; the chosen ones are in the order of the boxes. */
function Choices({ field: { label, complete }, choices, chosen, change, children }: ChoicesProps) {
  const toggle = (one: string) => {
    const next = Object.keys(choices).filter((other) => chosen.includes(other) !== (other === one));
    const all = complete?.(next) ?? next;
    change(Object.keys(choices).filter((other) => all.includes(other)));
  };
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {Object.entries(choices).map(([one, meaning]) => (
        <div key={one}>
          <label>
            <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
            <span>
              <b>{one}</b> <span class="soft">{meaning}</span>
            </span>
          </label>
        </div>
      ))}
      {children}
    </fieldset>
  );
}

/** The entries of a text that separates them by commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Without what is empty, for requests in which it would mean something else. */
export function filled<T extends Readonly<Record<string, string>>>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<T>;
}

/** A form behind a button, which gets the focus back when the form closes. `ready`: reads what the form needs; `false`: it stays closed. */
export function useOpener(label: string, ready?: () => Promise<boolean>) {
  const isOpen = useSignal(false);
  const opener = useRef<HTMLButtonElement>(null);
  const open = async () => {
    try {
      isOpen.value = (await ready?.()) ?? true;
    } catch (error) {
      report(error);
    }
  };
  return {
    isOpen: isOpen.value,
    close() {
      isOpen.value = false;
      requestAnimationFrame(() => opener.current?.focus());
    },
    /** `null` while the form is open. */
    button: isOpen.value ? null : (
      <button ref={opener} type="button" class="button small" onClick={() => void open()}>
        {label}
      </button>
    ),
  };
}
