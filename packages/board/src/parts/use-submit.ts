import { useSignal } from '@preact/signals';
import { type FormProblem, focusProblem, problemOf } from './field.js';

interface Submit {
  readonly busy: boolean;
  readonly onSubmit: (event: Event) => void;
}

/** Sends a form, one request at a time. */
export function useSubmit(send: () => Promise<void>, failed: (error: unknown) => void): Submit {
  const busy = useSignal(false);
  const submit = async () => {
    busy.value = true;
    try {
      await send();
    } catch (error) {
      failed(error);
    } finally {
      busy.value = false;
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!busy.value) void submit();
  };
  return { busy: busy.value, onSubmit };
}

/** The same, with what core says about these fields of the form. */
export function useFieldSubmit(
  form: string,
  fields: readonly string[],
  send: () => Promise<void>,
): Submit & { readonly problem: FormProblem | null } {
  const problem = useSignal<FormProblem | null>(null);
  const start = () => {
    problem.value = null;
    return send();
  };
  const submit = useSubmit(start, (error) => {
    const found = problemOf(error, fields);
    problem.value = found;
    focusProblem(form, found);
  });
  return { ...submit, problem: problem.value };
}
