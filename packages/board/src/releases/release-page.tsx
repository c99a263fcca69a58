import type { Answer, Input, Release } from '@culprit/client';
import { RELEASE_LIMITS } from '@culprit/core/internal/domain/release';
import { api } from '../api.js';
import { plural } from '../format.js';
import { Form, filled, useOpener } from '../parts/form.js';
import { Page, Section, Tiles } from '../parts/page.js';
import { StatePill } from '../parts/pill.js';
import { Actions, List, Missing } from '../parts/resource.js';
import { Out, Text } from '../parts/text.js';
import { type Resource, useResource } from '../parts/use-resource.js';
import { When } from '../parts/when.js';
import { addressOfRun } from '../state/route.js';
import { announcement, may } from '../state/session.js';
import { addressOfReleases } from './address.js';
import { FIGURES } from './figures.js';
import { ReleaseForm } from './release-form.js';

interface ReleasePageProps {
  readonly project: string;
  readonly version: string;
}
type Detail = Answer<'getRelease', 200>;

const RUNS = 50;
/** Commits that are listed. */
const MAX_COMMITS = 100;

/** One release: what crashed in it, what it brought and where it was deployed. */
export function ReleasePage({ project, version }: ReleasePageProps) {
  const resource = useResource(() => api.getRelease({ project, version }));
  const { found, read } = resource;
  const runs = useResource(() =>
    api.listRuns({ q: `release:"${version.replaceAll('"', ' ')}"`, project, limit: RUNS }),
  );
  const release = found?.release ?? null;
  return (
    <Page
      title={version}
      beside={
        <>
          <Text as="p" of={project} class="soft" />
          <a href={addressOfReleases(null)}>All releases</a>
        </>
      }
    >
      {found === null ? <Missing {...resource} /> : <Facts detail={found} />}
      {release !== null && (
        <Manage release={release} isCounted={found?.counts !== null} resource={resource} />
      )}
      <Runs of={runs} />
      {found !== null && release === null && (
        <Unrecorded project={project} version={version} recorded={read} />
      )}
      {release !== null && <Deploys release={release} read={read} />}
      {found !== null && <Commits detail={found} />}
    </Page>
  );
}

function Facts({ detail: { release, counts, at } }: { readonly detail: Detail }) {
  return (
    <>
      <Tiles tiles={FIGURES.map(({ name, of, title }) => [name, of({ release, counts }), '', title])} />
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

interface ManageProps {
  readonly release: Release;
  /** Whether crashes name it, so that it stays when it is deleted. */
  readonly isCounted: boolean;
  readonly resource: Resource<unknown>;
}

/** What may be changed of a recorded release: its commits, its state, and whether it is recorded. */
function Manage({ release, isCounted, resource: { act, read } }: ManageProps) {
  const { project, version, archived, finalised_at } = release;
  const form = useOpener('Set its commits');
  if (!may('release', project)) return null;
  const record = (facts: Partial<Input<'recordRelease'>>) =>
    api.recordRelease({ ...facts, project, version });
  if (form.isOpen)
    return (
      <Form
        id="release-commits"
        title="Set the commits of the release"
        bare
        focus="commit"
        paired
        fields={{
          commit: { label: 'Commit: a SHA or a tag', input: { required: true } },
          previous: { label: 'Previous commit; empty: the last recorded' },
        }}
        submit="Set"
        cancel={form.close}
        send={async (values) => {
          await record(filled(values));
          announcement.value = 'The commits are recorded.';
          form.close();
          await read();
        }}
      />
    );
  return (
    <div class="actions">
      {form.button}
      <Actions
        name=""
        act={act}
        actions={[
          finalised_at === null && {
            label: 'Finalise',
            async run() {
              await record({ finalised_at: new Date().toISOString() });
              return 'The release is finalised.';
            },
          },
          {
            label: archived ? 'Restore' : 'Archive',
            async run() {
              await record({ archived: !archived });
              return archived ? 'The release is restored.' : 'The release is archived.';
            },
          },
          {
            label: 'Delete…',
            question: {
              title: 'Delete this release?',
              content: (
                <p>
                  The commits and deploys of <Text as="code" of={version} /> are deleted. The counts of its
                  crashes are kept.
                </p>
              ),
              confirm: 'Delete',
              danger: true,
            },
            async run() {
              await api.deleteRelease({ project, version });
              announcement.value = 'The release is deleted.';
              if (isCounted) return true;
              location.hash = addressOfReleases(null);
              return false;
            },
          },
        ]}
      />
    </div>
  );
}

function Runs({ of }: { readonly of: Resource<Answer<'listRuns', 200>> }) {
  const { runs = [], next = null } = of.found ?? {};
  return (
    <Section title="Runs that crashed in it">
      {of.found === null && <Missing {...of} />}
      {of.found !== null && runs.length === 0 && <p class="none">None.</p>}
      <List
        title="Runs that crashed in it"
        rows={runs.map((run) => ({
          key: run.run_id,
          name: run.title,
          title: <Text as="a" of={run.title} href={addressOfRun(run)} />,
          rest: (
            <p class="soft">
              <StatePill state={run.state} /> {plural(run.occurrences, 'crash', 'crashes')} in all releases,
              first seen <When iso={run.first_seen} />
              {run.regression_of !== null && ', a regression'}
            </p>
          ),
        }))}
      />
      {next !== null && <p class="soft">More runs have this release. Search for it in the inbox.</p>}
    </Section>
  );
}

interface UnrecordedProps extends ReleasePageProps {
  readonly recorded: () => unknown;
}

/** Only crashes name it: its commits and deploys are unknown until somebody records it. */
function Unrecorded({ project, version, recorded }: UnrecordedProps) {
  const form = useOpener('Record this release');
  if (!may('release', project)) return null;
  if (!form.isOpen) return <p>{form.button}</p>;
  return <ReleaseForm project={project} version={version} cancel={form.close} recorded={recorded} />;
}

interface DeploysProps {
  readonly release: Release;
  /** Reads the release again. */
  readonly read: () => Promise<unknown>;
}

function Deploys({ release: { project, version, deploys }, read }: DeploysProps) {
  const form = useOpener('Record a deploy');
  const mayRecord = may('release', project);
  return (
    <Section title="Deploys" beside={mayRecord && form.button}>
      {form.isOpen && (
        <Form
          id="deploy"
          title="Record a deploy"
          bare
          focus="environment"
          paired
          fields={{
            environment: {
              label: 'Environment',
              input: {
                required: true,
                maxLength: RELEASE_LIMITS.environmentChars,
                placeholder: 'production',
              },
            },
            name: { label: 'Name; may be empty' },
            finished_at: { label: 'Deployed at; empty: now', input: { type: 'datetime-local' } },
          }}
          submit="Record"
          cancel={form.close}
          send={async ({ environment, ...rest }) => {
            await api.recordDeploy({ project, version, environment, ...filled(rest) });
            announcement.value = 'The deploy is recorded.';
            form.close();
            await read();
          }}
        />
      )}
      {deploys.length === 0 && (
        <p class="none">
          None is recorded. {mayRecord ? 'CI can record them: ' : 'Recording one needs the scope “release”: '}
          <code>culprit releases deploy VERSION ENVIRONMENT</code>
        </p>
      )}
      <List
        title="Deploys"
        rows={deploys.map(({ id, environment, name, url, finished_at }) => ({
          key: id,
          name: name === null ? environment : `${environment}, ${name}`,
          rest: (
            <p class="soft">
              <When iso={finished_at} />
              {url !== null && (
                <>
                  , <Out to={url}>its page</Out>
                </>
              )}
            </p>
          ),
        }))}
      />
    </Section>
  );
}

function Commits({ detail: { commits, release } }: { readonly detail: Detail }) {
  if (commits === null) return null;
  return (
    <Section title={plural(commits.length, 'commit')}>
      <List
        title="Commits"
        rows={commits.slice(0, MAX_COMMITS).map(({ sha, title }) => ({
          key: sha,
          name: title,
          title: (
            <>
              <code>{sha.slice(0, 7)}</code> <Text of={title} />
            </>
          ),
        }))}
      />
      {(commits.length > MAX_COMMITS || release?.more_commits) && (
        <p class="soft">The newest {MAX_COMMITS} are listed.</p>
      )}
    </Section>
  );
}
