import { CulpritError, type Engine, type Release } from '@culprit/core';
import type { ReleaseFacts } from '@culprit/core/internal/pipeline/releases/release-facts';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { repositoryName } from './organisation-routes.js';
import {
  changedRelease,
  commitShape,
  deployShape,
  newRelease,
  releaseShape,
  type SentFacts,
  sentCommits,
  sentDeploy,
  sentryCommit,
  sentryDeploy,
  sentryRelease,
} from './release-shape.js';
import { projectOf, projectsOf, type SentryRoute, sentryRoute } from './sentry-route.js';

/** Commits are sent with their patches. */
const BODY = 4 * 1024 * 1024;
/** Releases in one answer, as Sentry's first page. */
const LISTED = 100;

const ORGANISATION = '/organizations/:organisation/releases/';
const PROJECT = '/projects/:organisation/:project/releases/';
const release = { 200: { what: 'The release', schema: releaseShape } };
const created = {
  201: { what: 'The release, which is new', schema: releaseShape },
  208: { what: 'The release, which was recorded before', schema: releaseShape },
};
const malformed = ['malformed', 'code_host_unavailable'] as const;

/** Releases and their deploys as `sentry-cli` sends and reads them: of one project, and of all that have the version. */
export function sentryReleaseRoutes(): CoreRoute[] {
  return [
    ...RELEASE_ROUTES.map(([ofProject]) => ofProject),
    ...RELEASE_ROUTES.map(([, ofAll]) => ofAll),
    ...COMMIT_ROUTES,
    previousRoute,
    ...deployRoutes(),
  ];
}

/** Id and summary of a route. */
type Name = readonly [id: string, summary: string];

/** A route of one project, and the same of all that have the version. `below`: the path below the releases. */
function both(
  below: string,
  ofProject: Name,
  ofAll: Name,
  route: Omit<SentryRoute, 'path' | 'id' | 'summary'>,
): readonly [CoreRoute, CoreRoute] {
  const at = (path: string, [id, summary]: Name) =>
    sentryRoute({ ...route, path: path + below, id, summary: `${summary}, for sentry-cli` });
  return [at(PROJECT, ofProject), at(ORGANISATION, ofAll)];
}

const RELEASE_ROUTES = [
  both(
    '',
    ['sentryListProjectReleases', 'List the newest releases of a project'],
    ['sentryListReleases', 'List the newest releases of all projects'],
    {
      method: 'GET',
      answers: { 200: { what: 'At most 100', schema: v.array(releaseShape) } },
      handle: async (call) =>
        jsonResponse(200, await listed(call, isOfProject(call) ? [projectOf(call)] : projectsOf(call))),
    },
  ),
  both(
    '',
    ['sentryCreateProjectRelease', 'Record a release of a project'],
    ['sentryCreateRelease', 'Record a release of several projects'],
    {
      method: 'POST',
      body: { schema: newRelease, limit: BODY },
      answers: created,
      problems: malformed,
      handle: create,
    },
  ),
  both(
    ':version/',
    ['sentryGetProjectRelease', 'Get a release of a project'],
    ['sentryGetRelease', 'Get a release'],
    {
      method: 'GET',
      answers: release,
      handle: async (call) => jsonResponse(200, await shown(call, (await releasesOf(call)).releases)),
    },
  ),
  both(
    ':version/',
    ['sentryUpdateProjectRelease', 'Change a release of a project'],
    ['sentryUpdateRelease', 'Change a release in every project that has it'],
    {
      method: 'PUT',
      body: { schema: changedRelease, limit: BODY },
      answers: release,
      problems: malformed,
      handle: async (call) => {
        const projects = await targetsOf(call);
        const sent = readBody(call.request, changedRelease);
        const changed: Release[] = [];
        for (const project of projects) changed.push(await change(call, project, sent));
        return jsonResponse(200, await shown(call, changed));
      },
    },
  ),
  both(
    ':version/',
    ['sentryDeleteProjectRelease', 'Delete a release of a project'],
    ['sentryDeleteRelease', 'Delete a release in every project that has it'],
    {
      method: 'DELETE',
      answers: { 204: { what: 'Forgotten' } },
      handle: async (call) => {
        for (const project of await targetsOf(call))
          await call.engine.releases.remove(project, versionOf(call));
        return { status: 204 };
      },
    },
  ),
];

const COMMIT_ROUTES = both(
  ':version/commits/',
  ['sentryListProjectReleaseCommits', 'List the commits of a release of a project'],
  ['sentryListReleaseCommits', 'List the commits of a release'],
  {
    method: 'GET',
    answers: { 200: { what: 'Newest first', schema: v.array(commitShape) } },
    handle: async (call) => {
      const [{ project, version }] = (await releasesOf(call)).releases;
      const commits = (await call.engine.releases.commits(project, version)) ?? [];
      return jsonResponse(200, commits.map(sentryCommit));
    },
  },
);

const previousRoute = sentryRoute({
  method: 'GET',
  path: `${ORGANISATION}:version/previous-with-commits/`,
  id: 'sentryGetPreviousRelease',
  summary: 'Get the last release before this one that has a commit, for sentry-cli',
  answers: {
    200: { what: 'The release; an empty object if there is none', schema: v.partial(releaseShape) },
  },
  handle: async (call) => {
    const { releases, version } = await releasesOf(call);
    const [{ project }] = releases;
    const before = await call.engine.releases.before(project, version);
    return jsonResponse(200, before === null ? {} : await shown(call, [before]));
  },
});

function deployRoutes(): CoreRoute[] {
  const path = `${ORGANISATION}:version/deploys/`;
  return [
    sentryRoute({
      method: 'GET',
      path,
      id: 'sentryListDeploys',
      summary: 'List the deploys of a release, for sentry-cli',
      answers: { 200: { what: 'Newest first', schema: v.array(deployShape) } },
      handle: async (call) => {
        const { releases } = await releasesOf(call);
        return jsonResponse(200, releases[0].deploys.map(sentryDeploy));
      },
    }),
    sentryRoute({
      method: 'POST',
      path,
      id: 'sentryCreateDeploy',
      summary: 'Record a deploy of a release in every project that has it, for sentry-cli',
      body: { schema: sentDeploy, limit: 16 * 1024 },
      answers: { 201: { what: 'The deploy', schema: deployShape } },
      problems: ['malformed'],
      handle: async (call) => {
        const { environment, name, url, dateStarted, dateFinished } = readBody(call.request, sentDeploy);
        const { releases, version } = await releasesOf(call);
        const deploy = { environment, name, url, started_at: dateStarted, finished_at: dateFinished };
        const record = (project: string) => call.engine.releases.deploy(project, version, deploy);
        const first = await record(releases[0].project);
        for (const { project } of releases.slice(1)) await record(project);
        return jsonResponse(201, sentryDeploy(first));
      },
    }),
  ];
}

const isOfProject = ({ request }: ReviewerCall) => request.params.project !== undefined;
const versionOf = ({ request }: ReviewerCall) => request.params.version ?? '';

/** A version in several projects: Sentry's releases belong to the organisation. */
interface FoundReleases {
  readonly version: string;
  /** At least one. */
  readonly releases: readonly [Release, ...Release[]];
}

/** The releases with the version, in the project of the path or in every one that the credential may see. @throws `not_found` */
async function releasesOf(call: ReviewerCall, version = versionOf(call)): Promise<FoundReleases> {
  const projects = isOfProject(call) ? [projectOf(call)] : projectsOf(call);
  const found = await Promise.all(projects.map((project) => call.engine.releases.find(project, version)));
  const [first, ...more] = found.filter((one) => one !== null);
  if (first !== undefined) return { version, releases: [first, ...more] };
  const who = isOfProject(call) ? `Project ${projects[0]} has no release` : 'No project has a release';
  const detail = `${who} ${JSON.stringify(version.slice(0, 200))}. Create it with: sentry-cli releases new`;
  throw new CulpritError('not_found', detail);
}

/** The projects that a change concerns: that of the path, whether or not it has the release, or every one that has it. */
async function targetsOf(call: ReviewerCall): Promise<readonly string[]> {
  if (isOfProject(call)) return [projectOf(call)];
  return (await releasesOf(call)).releases.map(({ project }) => project);
}

/** The projects in which a release is recorded. */
async function createdIn(call: ReviewerCall): Promise<readonly string[]> {
  if (isOfProject(call)) return [projectOf(call)];
  const { projects, version } = readBody(call.request, newRelease);
  // Once each: every one costs writes, and questions to the code host.
  if (projects && projects.length > 0) return [...new Set(projects)].map((name) => projectOf(call, name));
  // `archive` and `restore` name no project.
  return (await releasesOf(call, version)).releases.map(({ project }) => project);
}

async function create(call: ReviewerCall) {
  const projects = await createdIn(call);
  const { version, ...sent } = readBody(call.request, newRelease);
  const releases: Release[] = [];
  let isNew = false;
  for (const project of projects) {
    const { created: fresh, release: recorded } = await call.engine.releases.record(
      project,
      version,
      factsOf(sent),
    );
    isNew ||= fresh;
    releases.push((await applyCommits(call.engine, project, version, sent)) ?? recorded);
  }
  return jsonResponse(isNew ? 201 : 208, await shown(call, releases));
}

async function change(call: ReviewerCall, project: string, sent: SentFacts): Promise<Release> {
  const version = versionOf(call);
  const changed = await call.engine.releases.update(project, version, factsOf(sent));
  return (await applyCommits(call.engine, project, version, sent)) ?? changed;
}

async function shown({ engine }: ReviewerCall, releases: readonly Release[]) {
  const [first] = releases;
  if (first === undefined) throw new CulpritError('not_found', 'There is no such release.');
  const counts = await engine.releases.counts(first.project);
  return sentryRelease(
    first,
    releases.map(({ project }) => project),
    counts.find(({ version }) => version === first.version) ?? null,
  );
}

async function listed({ engine }: ReviewerCall, projects: readonly string[]) {
  const { releases } = await engine.releases.page({ projects, from: 0, limit: LISTED });
  const counted = new Map(
    await Promise.all(
      [...new Set(releases.map(({ project }) => project))].map(
        async (project) => [project, await engine.releases.counts(project)] as const,
      ),
    ),
  );
  return releases.map((one) => {
    const counts = counted.get(one.project)?.find(({ version }) => version === one.version) ?? null;
    return sentryRelease(one, [one.project], counts);
  });
}

/** The facts of a release without its commits. */
function factsOf({ url, dateStarted, dateReleased, status }: SentFacts): ReleaseFacts {
  return {
    ...(url ? { url } : {}),
    ...(dateStarted ? { started_at: dateStarted } : {}),
    ...(dateReleased ? { finalised_at: dateReleased } : {}),
    ...(status ? { archived: status === 'archived' } : {}),
  };
}

/** Sets the commits that were sent; `null` if none were. Several repositories: the project's own counts. */
async function applyCommits(
  { releases }: Engine,
  project: string,
  version: string,
  { refs, commits }: SentFacts,
): Promise<Release | null> {
  if (commits) return releases.setCommits(project, version, { commits: sentCommits(commits) });
  if (!refs) return null;
  if (refs.length === 0) return releases.setCommits(project, version, null);
  const { repository } = releases.projects().find(({ name }) => name === project) ?? {};
  const own = repository == null ? undefined : refs.find((ref) => isNamed(repository, ref.repository));
  const ref = own ?? (refs.length === 1 && repository == null ? refs[0] : undefined);
  if (ref === undefined) {
    const names = refs.map((one) => one.repository).join(', ');
    const detail = `Project ${project} belongs to ${repository ?? 'no repository'}, not to ${names.slice(0, 200)}. Pass: --commit ${repositoryName(repository ?? 'REPOSITORY')}@SHA`;
    throw new CulpritError('malformed', detail, { path: 'refs' });
  }
  const { commit, previousCommit } = ref;
  return releases.setCommits(project, version, { commit, previous: previousCommit ?? null });
}

/** A local repository is also named by its folder alone. */
function isNamed(address: string, sent: string): boolean {
  const wanted = sent.toLowerCase();
  const name = repositoryName(address).toLowerCase();
  return name === wanted || (address.startsWith('/') && name.split('/').at(-1) === wanted.split('/').at(-1));
}
