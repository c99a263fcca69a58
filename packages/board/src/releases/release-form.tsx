import { RELEASE_LIMITS } from '@culprit/core/internal/domain/release';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { FormEnd, type FormProblem, TextField } from '../parts/field.js';
import { ProjectField } from '../parts/project-field.js';
import { useFieldSubmit } from '../parts/use-submit.js';
import { announcement } from '../state/session.js';
import { deployedAt } from './deploy-form.js';

const FORM = 'release';

interface ReleaseFormProps {
  /** Chosen at first; `null`: the first one. */
  readonly project: string | null;
  readonly version?: string;
  readonly cancel: () => void;
  readonly recorded: (project: string, version: string) => void;
}

/** Records a release, its commits and one deploy. */
export function ReleaseForm({ project = null, version = '', cancel, recorded }: ReleaseFormProps) {
  const texts: Texts = {
    project: useSignal(project ?? ''),
    version: useSignal(version),
    commit: useSignal(''),
    previous: useSignal(''),
    environment: useSignal(''),
    finished_at: useSignal(''),
  };
  const { busy, problem, onSubmit } = useFieldSubmit(FORM, Object.keys(texts), async () => {
    const { project, version } = await record(texts);
    announcement.value = 'Recorded.';
    recorded(project, version);
  });
  return (
    <form class="panel" aria-labelledby="new-release" onSubmit={onSubmit}>
      <h3 id="new-release">Record a release</h3>
      <Fields texts={texts} problem={problem} />
      <FormEnd problem={problem} busy={busy || texts.project.value === ''} submit="Record" cancel={cancel} />
    </form>
  );
}

/** What is in the fields, by member of the requests. */
type Texts = Readonly<
  Record<'project' | 'version' | 'commit' | 'previous' | 'environment' | 'finished_at', Signal<string>>
>;

/** The release first, because only a recorded one has deploys. Both may be sent again. */
async function record(texts: Texts): Promise<{ readonly project: string; readonly version: string }> {
  const of = (name: keyof Texts) => texts[name].value.trim();
  const place = { project: of('project'), version: of('version') };
  const commit = of('commit');
  const previous = of('previous');
  await api.recordRelease({
    ...place,
    ...(commit === '' ? {} : { commit, ...(previous === '' ? {} : { previous }) }),
  });
  const environment = of('environment');
  if (environment !== '') await api.recordDeploy({ ...place, environment, ...deployedAt(of('finished_at')) });
  return place;
}

interface FieldsProps {
  readonly texts: Texts;
  readonly problem: FormProblem | null;
}

function Fields({ texts, problem }: FieldsProps) {
  useEffect(() => document.getElementById(`${FORM}-version`)?.focus(), []);
  const field = (name: keyof Texts, label: string, input: object = {}) => (
    <TextField form={FORM} problem={problem} name={name} label={label} text={texts[name]} input={input} />
  );
  const versions = { required: true, maxLength: RELEASE_LIMITS.versionChars, placeholder: 'shop@2.4.1' };
  const environments = { maxLength: RELEASE_LIMITS.environmentChars, placeholder: 'production' };
  return (
    <div class="pair">
      <ProjectField form={FORM} problem={problem} text={texts.project} />
      {field('version', 'Version, as crashes name it', versions)}
      {field('commit', 'Commit: a SHA or a tag; empty: none')}
      {field('previous', 'Previous commit; empty: the last recorded', {
        disabled: texts.commit.value.trim() === '',
      })}
      {field('environment', 'Deployed to; empty: not yet', environments)}
      {field('finished_at', 'Deployed at; empty: now', {
        type: 'datetime-local',
        disabled: texts.environment.value.trim() === '',
      })}
    </div>
  );
}
