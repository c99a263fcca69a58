import { ApiError } from '@culprit/client';
import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button.js';

/** Why core refused a form: the field that its answer names, or the form as a whole. */
export interface FormProblem {
  /** The member of the request; `null`: none of the form's. */
  readonly field: string | null;
  readonly text: string;
}

/** What an error says about a form with these fields. */
export function problemOf(error: unknown, fields: readonly string[]): FormProblem {
  const path = error instanceof ApiError ? error.path : null;
  const text = error instanceof Error ? error.message : String(error);
  return { field: path !== null && fields.includes(path) ? path : null, text };
}

interface FieldProps {
  /** Of the form; the field's id is `FORM-NAME`. */
  readonly form: string;
  /** The member of the request. */
  readonly name: string;
  readonly label: string;
  readonly problem: FormProblem | null;
  /** The field itself, with these attributes. */
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}
interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/** A labelled field, with what core says about it below. */
export function Field({ form, name, label, problem, children }: FieldProps) {
  const id = `${form}-${name}`;
  const wrong = problem?.field === name;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(wrong ? { 'aria-describedby': `${id}-problem`, 'aria-invalid': true } : {}),
      })}
      {wrong && (
        <p class="problem untrusted" id={`${id}-problem`}>
          {problem.text}
        </p>
      )}
    </div>
  );
}

/** Keeps an input and a signal equal. */
export function bound(text: Signal<string>) {
  return {
    value: text.value,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly text: Signal<string>;
  readonly input?: JSX.IntrinsicElements['input'];
}

/** A labelled field of a form whose problems are shown above the page. */
export function Labelled({ id, label, text, input = {} }: LabelledProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <input id={id} autocomplete="off" {...input} {...bound(text)} />
    </>
  );
}

interface ChoicesProps {
  readonly legend: string;
  readonly class?: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly toggle: (one: string) => void;
  readonly meanings?: Readonly<Record<string, string>>;
}

/** Check boxes of which any may be chosen. */
export function Choices({ legend, class: more = '', all, chosen, toggle, meanings = {} }: ChoicesProps) {
  return (
    <fieldset class={`choice ${more}`.trim()}>
      <legend>{legend}</legend>
      {all.map((one) => (
        <div key={one}>
          <label>
            <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
            <span>
              <b>{one}</b> <span class="soft">{meanings[one]}</span>
            </span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly text: Signal<string>;
  readonly input?: JSX.IntrinsicElements['input'];
}

export function TextField({ text, input = {}, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <input autocomplete="off" spellcheck={false} {...input} {...attributes} {...bound(text)} />
      )}
    </Field>
  );
}

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  readonly text: Signal<string>;
  readonly values: readonly string[];
}

export function SelectField({ text, values, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <select {...attributes} {...bound(text)}>
          {values.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What core says about the form as a whole. */
export function FormProblemText({ problem }: { readonly problem: FormProblem | null }) {
  if (problem === null || problem.field !== null) return null;
  return (
    <p class="problem untrusted" role="alert">
      {problem.text}
    </p>
  );
}

interface FormEndProps {
  readonly problem: FormProblem | null;
  readonly busy: boolean;
  /** On the button that submits. */
  readonly submit: string;
  readonly cancel: () => void;
}

/** The end of a form: what core says about it, and its two buttons. */
export function FormEnd({ problem, busy, submit, cancel }: FormEndProps) {
  return (
    <>
      <FormProblemText problem={problem} />
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy}>
          {submit}
        </button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </>
  );
}

/** Moves the focus to the field that core refused. */
export function focusProblem(form: string, problem: FormProblem): void {
  if (problem.field !== null) document.getElementById(`${form}-${problem.field}`)?.focus();
}
