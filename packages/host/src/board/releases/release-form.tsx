import { RELEASE_LIMITS } from '@culprit/core/model';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import {
  type FormProblem,
  FormProblemText,
  focusProblem,
  problemOf,
  SelectField,
  TextField,
} from '../parts/field.js';
import { readProjects } from '../state/projects.js';
import { announcement, report } from '../state/session.js';
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
  const busy = useSignal(false);
  const problem = useSignal<FormProblem | null>(null);
  const submit = async () => {
    busy.value = true;
    problem.value = null;
    try {
      const place = await record(texts);
      announcement.value = 'Recorded.';
      recorded(...place);
    } catch (error) {
      problem.value = problemOf(error, Object.keys(texts));
    } finally {
      busy.value = false;
    }
    if (problem.value !== null) focusProblem(FORM, problem.value);
  };
  return (
    <form
      class="panel"
      aria-labelledby="new-release"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy.value) void submit();
      }}
    >
      <h3 id="new-release">Record a release</h3>
      <Fields texts={texts} problem={problem.value} />
      <FormProblemText problem={problem.value} />
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy.value || texts.project.value === ''}>
          Record
        </button>
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What is in the fields, by member of the requests. */
type Texts = Readonly<
  Record<'project' | 'version' | 'commit' | 'previous' | 'environment' | 'finished_at', Signal<string>>
>;

/** The release first, because only a recorded one has deploys. Both may be sent again. */
async function record(texts: Texts): Promise<[project: string, version: string]> {
  const of = (name: keyof Texts) => texts[name].value.trim();
  const place: [string, string] = [of('project'), of('version')];
  const commit = of('commit');
  const previous = of('previous');
  await api.releases.record(
    ...place,
    commit === '' ? {} : { commit, ...(previous === '' ? {} : { previous }) },
  );
  const environment = of('environment');
  if (environment !== '')
    await api.releases.deploy(...place, { environment, ...deployedAt(of('finished_at')) });
  return place;
}

interface FieldsProps {
  readonly texts: Texts;
  readonly problem: FormProblem | null;
}

function Fields({ texts, problem }: FieldsProps) {
  const { project } = texts;
  const projects = useSignal<readonly string[]>(project.value === '' ? [] : [project.value]);
  useEffect(() => {
    document.getElementById(`${FORM}-version`)?.focus();
    readProjects().then((names) => {
      projects.value = names;
      if (!names.includes(project.value)) project.value = names[0] ?? '';
    }, report);
  }, []);
  const field = (name: keyof Texts, label: string, input: object = {}) => (
    <TextField form={FORM} problem={problem} name={name} label={label} text={texts[name]} input={input} />
  );
  const versions = { required: true, maxLength: RELEASE_LIMITS.versionChars, placeholder: 'shop@2.4.1' };
  const environments = { maxLength: RELEASE_LIMITS.environmentChars, placeholder: 'production' };
  return (
    <div class="pair">
      <SelectField
        form={FORM}
        problem={problem}
        name="project"
        label="Project"
        text={project}
        values={projects.value}
      />
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
