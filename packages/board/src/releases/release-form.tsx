import { RELEASE_LIMITS } from '@culprit/core/internal/domain/release';
import { api } from '../api.js';
import { Form, filled } from '../parts/form.js';
import { useAsked } from '../parts/use-asked.js';
import { announcement } from '../state/session.js';

interface ReleaseFormProps {
  /** Chosen at first; `null`: the first one. */
  readonly project: string | null;
  readonly version?: string;
  readonly cancel: () => void;
  readonly recorded: (project: string, version: string) => unknown;
}

/** Records a release, its commits and one deploy. */
export function ReleaseForm({ project, version = '', cancel, recorded }: ReleaseFormProps) {
  const projects = useAsked(readProjects, '') ?? (project === null ? [] : [project]);
  return (
    <Form
      id="release"
      title="Record a release"
      focus="version"
      paired
      fields={{
        project: { label: 'Project', options: projects.map((name) => [name, name]), first: project ?? '' },
        version: {
          label: 'Version, as crashes name it',
          first: version,
          input: { required: true, maxLength: RELEASE_LIMITS.versionChars, placeholder: 'shop@2.4.1' },
        },
        commit: { label: 'Commit: a SHA or a tag; empty: none' },
        previous: { label: 'Previous commit; empty: the last recorded', needs: 'commit' },
        environment: {
          label: 'Deployed to; empty: not yet',
          input: { maxLength: RELEASE_LIMITS.environmentChars, placeholder: 'production' },
        },
        finished_at: {
          label: 'Deployed at; empty: now',
          input: { type: 'datetime-local' },
          needs: 'environment',
        },
      }}
      submit="Record"
      ready={({ project }) => project !== ''}
      cancel={cancel}
      // The release first, because only a recorded one has deploys. Both may be sent again.
      send={async ({ project, version, commit, previous, environment, finished_at }) => {
        await api.recordRelease({ project, version, ...filled({ commit, previous }) });
        if (environment !== '')
          await api.recordDeploy({ project, version, environment, ...filled({ finished_at }) });
        announcement.value = 'Recorded.';
        recorded(project, version);
      }}
    />
  );
}

/** The configured projects that this session may see. Needs the scope `release`. */
async function readProjects(): Promise<readonly string[]> {
  const path = '/api/0/organizations/culprit/projects/';
  const listed = (await api.request({ method: 'GET', path })) as readonly { readonly slug: string }[];
  return listed.map(({ slug }) => slug);
}
