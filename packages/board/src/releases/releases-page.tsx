import type { Answer, ListedRelease } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/choices.js';
import { useOpener } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { type Column, Missing, Table } from '../parts/resource.js';
import { Text } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { When } from '../parts/when.js';
import { go } from '../state/route.js';
import { may, report } from '../state/session.js';
import { addressOfRelease, addressOfReleases, shortVersion } from './address.js';
import { FIGURES } from './figures.js';
import { ReleaseForm } from './release-form.js';

const SHOWN = 50;

type FirstPage = Answer<'listReleases', 200>;
/** The pages after the first one. */
interface Later {
  readonly first: FirstPage;
  readonly releases: readonly ListedRelease[];
  readonly next: string | null;
}

/** The releases of all projects or of one, newest first. */
export function ReleasesPage({ project }: { readonly project: string | null }) {
  const later = useSignal<Later | null>(null);
  const projects = useSignal<readonly string[]>([]);
  const read = async (cursor?: string) => {
    const page = await api.listReleases({ limit: SHOWN, project: project ?? undefined, cursor });
    const named = page.releases.map((one) => one.project);
    projects.value = [...new Set([...projects.value, ...named, ...(project ? [project] : [])])].sort();
    return page;
  };
  const resource = useResource(async () => ({ project, page: await read() }), project ?? '');
  // The page of the project before stays until this one's has arrived; the rows of two are not mixed.
  const found = resource.found?.project === project ? resource.found.page : null;
  const { releases: rest, next } =
    later.value !== null && later.value.first === found
      ? later.value
      : { releases: [], next: found?.next ?? null };
  const more = async (first: FirstPage, cursor: string) => {
    const page = await read(cursor);
    later.value = { first, releases: [...rest, ...page.releases], next: page.next };
  };
  const form = useOpener('Record a release');
  const mayRecord = may('release', project ?? undefined);
  return (
    <Page
      title="Releases"
      wide
      beside={
        <>
          {found !== null && <p class="soft">{plural(found.total, 'release')}</p>}
          {projects.value.length > 1 && (
            <Select
              label="Project"
              value={project ?? ''}
              options={[['', 'All projects'], ...projects.value.map((name) => [name, name] as const)]}
              choose={(name) => go(addressOfReleases(name || null))}
            />
          )}
          {mayRecord && form.button}
        </>
      }
    >
      {!mayRecord && (
        <p class="soft">Your role does not include recording releases. It needs the scope “release”.</p>
      )}
      {form.isOpen && (
        <ReleaseForm
          project={project}
          cancel={form.close}
          recorded={(...place) => go(addressOfRelease(...place))}
        />
      )}
      {found === null && <Missing {...resource} />}
      {found?.releases.length === 0 && (
        <p class="none">
          No releases. Record one in CI: <code>culprit releases new VERSION --auto</code>
        </p>
      )}
      {found !== null && found.releases.length > 0 && (
        <Table
          label="Releases"
          columns={COLUMNS}
          rows={[...found.releases, ...rest]}
          keyOf={(one) => `${one.project} ${one.version}`}
        />
      )}
      {found !== null && next !== null && (
        <p>
          <Button onClick={() => void more(found, next).catch(report)}>Show more</Button>
        </p>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<ListedRelease>[] = [
  {
    name: 'Release',
    cell: ({ project, version, release }) => (
      <>
        <Text as="a" of={shortVersion(version)} href={addressOfRelease(project, version)} />
        {release?.archived && <span class="soft"> archived</span>}
      </>
    ),
  },
  { name: 'Project', cell: ({ project }) => <Text of={project} /> },
  {
    name: 'Recorded',
    cell: ({ release, at }) => (
      <>
        {release === null && 'first crash '}
        <When iso={at} />
      </>
    ),
  },
  ...FIGURES.map(({ of, ...rest }) => ({ ...rest, cell: (one: ListedRelease) => <Text of={of(one)} /> })),
];
