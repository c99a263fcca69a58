import type { ListedRelease } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { go } from '../state/route.js';
import { may, report } from '../state/session.js';
import { addressOfRelease, addressOfReleases, shortVersion } from './address.js';
import { Figures } from './figures.js';
import { ReleaseForm } from './release-form.js';

const SHOWN = 50;

interface Loaded {
  readonly releases: readonly ListedRelease[];
  readonly total: number;
  readonly next: string | null;
}

/** The releases of all projects or of one, newest first. */
export function ReleasesPage({ project }: { readonly project: string | null }) {
  const loaded = useSignal<Loaded | null>(null);
  const projects = useSignal<readonly string[]>([]);
  const more = async (cursor: string | null) => {
    try {
      const query = { limit: SHOWN, ...(project === null ? {} : { project }) };
      const page = await api.listReleases(cursor === null ? query : { ...query, cursor });
      const before = cursor === null ? [] : (loaded.value?.releases ?? []);
      loaded.value = { ...page, releases: [...before, ...page.releases] };
      const named = page.releases.map((one) => one.project);
      projects.value = [...new Set([...projects.value, ...named, ...(project ? [project] : [])])].sort();
    } catch (error) {
      report(error);
    }
  };
  useEffect(() => {
    loaded.value = null;
    void more(null);
  }, [project]);
  const found = loaded.value;
  const recording = useSignal(false);
  return (
    <div class="shift releases">
      <header>
        <h2>Releases</h2>
        {found !== null && <p class="soft">{plural(found.total, 'release')}</p>}
        {projects.value.length > 1 && (
          <label class="soft">
            Project{' '}
            <select
              value={project ?? ''}
              onChange={({ currentTarget }) => go(addressOfReleases(currentTarget.value || null))}
            >
              <option value="">All</option>
              {projects.value.map((name) => (
                <option key={name} value={name}>
                  {visible(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        {may('release', project ?? undefined) && !recording.value && (
          <Button
            onClick={() => {
              recording.value = true;
            }}
          >
            Record a release
          </Button>
        )}
      </header>
      {!may('release', project ?? undefined) && (
        <p class="soft">Your role does not include recording releases. It needs the scope “release”.</p>
      )}
      {recording.value && (
        <ReleaseForm
          project={project}
          cancel={() => {
            recording.value = false;
          }}
          recorded={(...place) => go(addressOfRelease(...place))}
        />
      )}
      {found === null ? (
        <p class="none">Loading…</p>
      ) : found.releases.length === 0 ? (
        <p class="none">
          No releases. Record one in CI: <code>culprit releases new VERSION --auto</code>
        </p>
      ) : (
        <ul class="release-list">
          {found.releases.map((one) => (
            <Row key={`${one.project} ${one.version}`} listed={one} />
          ))}
        </ul>
      )}
      {found?.next && <Button onClick={() => void more(found.next)}>Show more</Button>}
    </div>
  );
}

function Row({ listed }: { readonly listed: ListedRelease }) {
  const { project, version, at, release, counts } = listed;
  return (
    <li>
      <p>
        <Text as="a" of={shortVersion(version)} href={addressOfRelease(project, version)} />{' '}
        <span class="soft">
          <Text of={project} />, {release === null ? 'first crash ' : 'recorded '}
          <time dateTime={at} title={exact(at)} class="num">
            {ago(at, clock.value)}
          </time>
          {release?.archived ? ', archived' : ''}
        </span>
      </p>
      <Figures release={release} counts={counts} />
    </li>
  );
}
