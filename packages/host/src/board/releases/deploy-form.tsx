import { RELEASE_LIMITS } from '@culprit/core/model';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { type FormProblem, FormProblemText, focusProblem, problemOf, TextField } from '../parts/field.js';
import { announcement } from '../state/session.js';

const FORM = 'deploy';
const FIELDS = ['environment', 'name', 'finished_at'];

/** `local`: the value of a `datetime-local` field, in the reader's time zone; empty: now. */
export function deployedAt(local: string): { readonly finished_at?: string } {
  return local === '' ? {} : { finished_at: new Date(local).toISOString() };
}

interface DeployFormProps {
  readonly project: string;
  readonly version: string;
  readonly cancel: () => void;
  readonly recorded: () => void;
}

/** Records a deploy of a release. */
export function DeployForm({ project, version, cancel, recorded }: DeployFormProps) {
  const environment = useSignal('');
  const name = useSignal('');
  const at = useSignal('');
  const busy = useSignal(false);
  const problem = useSignal<FormProblem | null>(null);
  useEffect(() => document.getElementById(`${FORM}-environment`)?.focus(), []);
  const submit = async () => {
    const named = name.value.trim() === '' ? {} : { name: name.value.trim() };
    busy.value = true;
    problem.value = null;
    try {
      const deploy = { environment: environment.value.trim(), ...named, ...deployedAt(at.value) };
      await api.releases.deploy(project, version, deploy);
      announcement.value = 'The deploy is recorded.';
      recorded();
    } catch (error) {
      problem.value = problemOf(error, FIELDS);
    } finally {
      busy.value = false;
    }
    if (problem.value !== null) focusProblem(FORM, problem.value);
  };
  const common = { form: FORM, problem: problem.value };
  return (
    <form
      class="panel"
      aria-label="Record a deploy"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy.value) void submit();
      }}
    >
      <TextField
        {...common}
        name="environment"
        label="Environment"
        text={environment}
        input={{ required: true, maxLength: RELEASE_LIMITS.environmentChars, placeholder: 'production' }}
      />
      <div class="pair">
        <TextField {...common} name="name" label="Name; may be empty" text={name} />
        <TextField
          {...common}
          name="finished_at"
          label="Deployed at; empty: now"
          text={at}
          input={{ type: 'datetime-local' }}
        />
      </div>
      <FormProblemText problem={problem.value} />
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy.value}>
          Record
        </button>
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
