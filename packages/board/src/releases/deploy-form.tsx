import { RELEASE_LIMITS } from '@culprit/core/internal/domain/release';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { FormEnd, TextField } from '../parts/field.js';
import { useFieldSubmit } from '../parts/use-submit.js';
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
  useEffect(() => document.getElementById(`${FORM}-environment`)?.focus(), []);
  const { busy, problem, onSubmit } = useFieldSubmit(FORM, FIELDS, async () => {
    const named = name.value.trim() === '' ? {} : { name: name.value.trim() };
    const deploy = { environment: environment.value.trim(), ...named, ...deployedAt(at.value) };
    await api.recordDeploy({ project, version, ...deploy });
    announcement.value = 'The deploy is recorded.';
    recorded();
  });
  const common = { form: FORM, problem };
  return (
    <form class="panel" aria-label="Record a deploy" onSubmit={onSubmit}>
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
      <FormEnd problem={problem} busy={busy} submit="Record" cancel={cancel} />
    </form>
  );
}
