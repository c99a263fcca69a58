import { CulpritError, type Release } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { applyCommits, factsOf } from './apply-facts.js';
import {
  changedRelease,
  commitShape,
  newRelease,
  releaseShape,
  type SentFacts,
  sentryCommit,
  sentryRelease,
} from './release-shape.js';
import { releasesOf, versionOf } from './releases-by-version.js';
import { projectOf, projectsOf, sentryRoute } from './sentry-route.js';

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
const deleted = { 204: { what: 'Forgotten' } };
const malformed = ['malformed', 'code_host_unavailable'] as const;

/** Releases as `sentry-cli releases` sends and reads them: of one project, and of all that have the version. */
export function sentryReleaseRoutes(): CoreRoute[] {
  return [...projectRoutes(), ...organisationRoutes(), ...commitRoutes()];
}

function projectRoutes(): CoreRoute[] {
  return [
    sentryRoute({
      method: 'GET',
      path: PROJECT,
      id: 'sentryListProjectReleases',
      summary: 'List the newest releases of a project, for sentry-cli',
      answers: { 200: { what: 'At most 100', schema: v.array(releaseShape) } },
      handle: async (call) => jsonResponse(200, await listed(call, [projectOf(call)])),
    }),
    sentryRoute({
      method: 'POST',
      path: PROJECT,
      id: 'sentryCreateProjectRelease',
      summary: 'Record a release of a project, for sentry-cli',
      body: { schema: newRelease, limit: BODY },
      answers: created,
      problems: malformed,
      handle: (call) => create(call, [projectOf(call)]),
    }),
    sentryRoute({
      method: 'GET',
      path: `${PROJECT}:version/`,
      id: 'sentryGetProjectRelease',
      summary: 'Get a release of a project, for sentry-cli',
      answers: release,
      handle: async (call) => {
        const found = await call.engine.releases.find(projectOf(call), versionOf(call));
        if (found === null) throw unknownRelease(call);
        return jsonResponse(200, await shown(call, [found]));
      },
    }),
    sentryRoute({
      method: 'PUT',
      path: `${PROJECT}:version/`,
      id: 'sentryUpdateProjectRelease',
      summary: 'Change a release of a project, for sentry-cli',
      body: { schema: changedRelease, limit: BODY },
      answers: release,
      problems: malformed,
      handle: async (call) => {
        const project = projectOf(call);
        const sent = readBody(call.request, changedRelease);
        return jsonResponse(200, await shown(call, [await change(call, project, sent)]));
      },
    }),
    sentryRoute({
      method: 'DELETE',
      path: `${PROJECT}:version/`,
      id: 'sentryDeleteProjectRelease',
      summary: 'Forget a release of a project, for sentry-cli',
      answers: deleted,
      handle: async (call) => {
        await call.engine.releases.remove(projectOf(call), versionOf(call));
        return { status: 204 };
      },
    }),
  ];
}

function organisationRoutes(): CoreRoute[] {
  return [
    sentryRoute({
      method: 'GET',
      path: ORGANISATION,
      id: 'sentryListReleases',
      summary: 'List the newest releases of all projects, for sentry-cli',
      answers: { 200: { what: 'At most 100', schema: v.array(releaseShape) } },
      handle: async (call) => jsonResponse(200, await listed(call, projectsOf(call))),
    }),
    sentryRoute({
      method: 'POST',
      path: ORGANISATION,
      id: 'sentryCreateRelease',
      summary: 'Record a release of several projects, for sentry-cli',
      body: { schema: newRelease, limit: BODY },
      answers: created,
      problems: malformed,
      handle: async (call) => {
        const { projects, version } = readBody(call.request, newRelease);
        if (projects && projects.length > 0)
          // Once each: every one costs writes, and questions to the code host.
          return create(
            call,
            [...new Set(projects)].map((name) => projectOf(call, name)),
          );
        // `archive` and `restore` name no project.
        const { releases } = await releasesOf(call, version);
        return create(
          call,
          releases.map(({ project }) => project),
        );
      },
    }),
    sentryRoute({
      method: 'GET',
      path: `${ORGANISATION}:version/`,
      id: 'sentryGetRelease',
      summary: 'Get a release, for sentry-cli',
      answers: release,
      handle: async (call) => jsonResponse(200, await shown(call, (await releasesOf(call)).releases)),
    }),
    sentryRoute({
      method: 'PUT',
      path: `${ORGANISATION}:version/`,
      id: 'sentryUpdateRelease',
      summary: 'Change a release in every project that has it, for sentry-cli',
      body: { schema: changedRelease, limit: BODY },
      answers: release,
      problems: malformed,
      handle: async (call) => {
        const sent = readBody(call.request, changedRelease);
        const { releases } = await releasesOf(call);
        const changed: Release[] = [];
        for (const { project } of releases) changed.push(await change(call, project, sent));
        return jsonResponse(200, await shown(call, changed));
      },
    }),
    sentryRoute({
      method: 'DELETE',
      path: `${ORGANISATION}:version/`,
      id: 'sentryDeleteRelease',
      summary: 'Forget a release in every project that has it, for sentry-cli',
      answers: deleted,
      handle: async (call) => {
        const { releases, version } = await releasesOf(call);
        for (const { project } of releases) await call.engine.releases.remove(project, version);
        return { status: 204 };
      },
    }),
  ];
}

function commitRoutes(): CoreRoute[] {
  const commits = { 200: { what: 'Newest first', schema: v.array(commitShape) } };
  const commitsOf = async ({ engine }: ReviewerCall, { project, version }: Release) =>
    jsonResponse(200, ((await engine.releases.commits(project, version)) ?? []).map(sentryCommit));
  return [
    sentryRoute({
      method: 'GET',
      path: `${PROJECT}:version/commits/`,
      id: 'sentryListProjectReleaseCommits',
      summary: 'List the commits of a release of a project, for sentry-cli',
      answers: commits,
      handle: async (call) => {
        const found = await call.engine.releases.find(projectOf(call), versionOf(call));
        if (found === null) throw unknownRelease(call);
        return commitsOf(call, found);
      },
    }),
    sentryRoute({
      method: 'GET',
      path: `${ORGANISATION}:version/commits/`,
      id: 'sentryListReleaseCommits',
      summary: 'List the commits of a release, for sentry-cli',
      answers: commits,
      handle: async (call) => commitsOf(call, (await releasesOf(call)).releases[0]),
    }),
    sentryRoute({
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
    }),
  ];
}

async function create(call: ReviewerCall, projects: readonly string[]) {
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

function unknownRelease(call: ReviewerCall): CulpritError {
  const version = JSON.stringify(versionOf(call).slice(0, 200));
  const detail = `Project ${projectOf(call)} has no release ${version}. Create it with: sentry-cli releases new`;
  return new CulpritError('not_found', detail);
}
