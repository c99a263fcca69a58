import type { Answer, Release } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { StatePill } from '../parts/pill.js';
import { useResource } from '../parts/resource.js';
import { Out, Text, visible } from '../parts/text.js';
import { useAsked } from '../parts/use-asked.js';
import { clock } from '../state/clock.js';
import { addressOfRun } from '../state/route.js';
import { may } from '../state/session.js';
import { addressOfReleases } from './address.js';
import { DeployForm } from './deploy-form.js';
import { Figures } from './figures.js';
import { Manage } from './manage.js';
import { ReleaseForm } from './release-form.js';

interface ReleasePageProps {
  readonly project: string;
  readonly version: string;
}
type Detail = Answer<'getRelease', 200>;

const RUNS = 50;

/** One release: what crashed in it, what it brought and where it was deployed. */
export function ReleasePage({ project, version }: ReleasePageProps) {
  const { found, read } = useResource(() => api.getRelease({ project, version }));
  const page = useAsked(
    () => api.listRuns({ q: `release:"${version.replaceAll('"', ' ')}"`, project, limit: RUNS }),
    'runs',
  );
  return (
    <div class="shift releases">
      <p>
        <a href={addressOfReleases(null)}>All releases</a>
      </p>
      <header>
        <h2 class="untrusted">{visible(version)}</h2>
        <Text as="p" of={project} class="soft" />
      </header>
      {found === null ? <p class="none">Loading…</p> : <Facts detail={found} />}
      {found?.release && (
        <Manage
          release={found.release}
          read={() => void read()}
          deleted={() => {
            if (found.counts === null) location.hash = addressOfReleases(null);
            else void read();
          }}
        />
      )}
      <Runs runs={page?.runs ?? null} more={page !== null && page.next !== null} />
      {found?.release === null && <Unrecorded project={project} version={version} read={() => void read()} />}
      {found?.release && <Deploys release={found.release} read={() => void read()} />}
      {found !== null && <Commits detail={found} />}
    </div>
  );
}

function Facts({ detail }: { readonly detail: Detail }) {
  const { release, counts, at } = detail;
  return (
    <>
      <Figures release={release} counts={counts} />
      <p class="soft">
        {release === null ? 'Not recorded; its first crash was received ' : 'Recorded '}
        <When iso={at} />
        {release?.finalised_at && (
          <>
            , finalised <When iso={release.finalised_at} />
          </>
        )}
        {release?.archived && ', archived'}
        {release?.commit && (
          <>
            , at <code>{release.commit.slice(0, 10)}</code>
          </>
        )}
        {counts !== null && (
          <>
            , last crash <When iso={counts.last_crash_at} />
          </>
        )}
        {release?.url && (
          <>
            . <Out to={release.url}>Its page</Out>
          </>
        )}
      </p>
    </>
  );
}

function Runs({ runs, more }: { readonly runs: readonly RunSummary[] | null; readonly more: boolean }) {
  return (
    <section>
      <h3>Runs that crashed in it</h3>
      {runs === null ? (
        <p class="none">Loading…</p>
      ) : runs.length === 0 ? (
        <p class="none">None.</p>
      ) : (
        <ul>
          {runs.map((run) => (
            <li key={run.run_id}>
              <Text as="a" of={run.title} href={addressOfRun(run)} />
              <span class="soft">
                <StatePill state={run.state} /> {plural(run.occurrences, 'crash', 'crashes')} in all releases,
                first seen <When iso={run.first_seen} />
                {run.regression_of !== null && ', a regression'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {more && <p class="soft">More runs have this release. Search for it in the inbox.</p>}
    </section>
  );
}

interface UnrecordedProps extends ReleasePageProps {
  /** Reads the release again. */
  readonly read: () => void;
}

/** Only crashes name it: its commits and deploys are unknown until somebody records it. */
function Unrecorded({ project, version, read }: UnrecordedProps) {
  const recording = useSignal(false);
  if (!may('release', project)) return null;
  if (!recording.value) {
    return (
      <p>
        <Button
          onClick={() => {
            recording.value = true;
          }}
        >
          Record this release
        </Button>
      </p>
    );
  }
  const close = () => {
    recording.value = false;
  };
  return <ReleaseForm project={project} version={version} cancel={close} recorded={read} />;
}

interface DeploysProps {
  readonly release: Release;
  /** Reads the release again. */
  readonly read: () => void;
}

function Deploys({ release, read }: DeploysProps) {
  const recording = useSignal(false);
  const again = useRef<HTMLButtonElement>(null);
  const close = () => {
    recording.value = false;
    requestAnimationFrame(() => again.current?.focus());
  };
  return (
    <section aria-labelledby="deploys">
      <div class="part-head">
        <h3 id="deploys">Deploys</h3>
        {may('release', release.project) && !recording.value && (
          <button
            ref={again}
            type="button"
            class="button small"
            onClick={() => {
              recording.value = true;
            }}
          >
            Record a deploy
          </button>
        )}
      </div>
      {recording.value && (
        <DeployForm
          project={release.project}
          version={release.version}
          cancel={close}
          recorded={() => {
            close();
            read();
          }}
        />
      )}
      {release.deploys.length === 0 ? (
        <p class="none">
          None is recorded.{' '}
          {may('release', release.project)
            ? 'CI can record them: '
            : 'Recording one needs the scope “release”: '}
          <code>culprit releases deploy VERSION ENVIRONMENT</code>
        </p>
      ) : (
        <ul>
          {release.deploys.map(({ id, environment, name, url, finished_at }) => (
            <li key={id}>
              <span class="untrusted">
                {visible(environment)}
                {name !== null && `, ${visible(name)}`}
              </span>
              <span class="soft">
                <When iso={finished_at} />
                {url !== null && (
                  <>
                    , <Out to={url}>its page</Out>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Commits({ detail: { commits, release } }: { readonly detail: Detail }) {
  if (commits === null) return null;
  return (
    <section>
      <h3>{plural(commits.length, 'commit')}</h3>
      <ul>
        {commits.slice(0, 100).map(({ sha, title }) => (
          <li key={sha} class="release-commit">
            <code>{sha.slice(0, 7)}</code> <Text of={title} />
          </li>
        ))}
      </ul>
      {(commits.length > 100 || release?.more_commits) && <p class="soft">The newest 100 are listed.</p>}
    </section>
  );
}

function When({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={exact(iso)} class="num">
      {ago(iso, clock.value)}
    </time>
  );
}
