import { CulpritError } from '@culprit/core';
import {
  deploySchema,
  listedReleaseSchema,
  RELEASE_LIMITS,
  releaseCommitSchema,
  releaseSchema,
} from '@culprit/core/internal/domain/release';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { operation } from '../operation.js';
import { pageOf, readLimit } from '../paging.js';
import { readOptionalBody } from '../read-body.js';
import { knownReleases, withFacts } from '../releases/list-releases.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { projectOf, projectsOf } from '../sentry-api/sentry-route.js';

const time = v.exactOptional(about(v.string(), 'ISO 8601.'));
const commitBody = v.strictObject({
  sha: v.pipe(v.string(), v.regex(/^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, 'must be a full SHA')),
  title: v.string(),
  committed_at: v.optional(v.nullable(v.string()), null),
});
const releaseBody = v.strictObject({
  url: v.exactOptional(v.nullable(v.string())),
  started_at: time,
  finalised_at: time,
  archived: v.exactOptional(v.boolean()),
  commit: v.exactOptional(about(v.string(), 'The released commit: a SHA, or a tag of the repository.')),
  previous: v.exactOptional(
    about(
      v.nullable(v.string()),
      'The commit of the previous release. Default: that of the last recorded one.',
    ),
  ),
  commits: v.exactOptional(
    about(
      v.pipe(v.array(commitBody), v.maxLength(RELEASE_LIMITS.commits)),
      'The commits, newest first, in place of `commit`, if the code host cannot list them.',
    ),
  ),
});
const deployBody = v.strictObject({
  environment: v.string(),
  name: v.exactOptional(v.string()),
  url: v.exactOptional(v.string()),
  started_at: time,
  finished_at: v.exactOptional(about(v.string(), 'ISO 8601. Default: now.')),
});

const pageSchema = v.object({
  releases: v.array(listedReleaseSchema),
  total: v.number(),
  next: v.nullable(v.string()),
});
const detailSchema = v.object({
  ...listedReleaseSchema.entries,
  commits: about(v.nullable(v.array(releaseCommitSchema)), 'Newest first, at most 500. `null`: unknown.'),
});

const PATH = '/api/v1/releases/:project/:version';
const READ = { scope: 'read', reach: 'projects' } as const;
const WRITE = { scope: 'release', reach: 'projects' } as const;

/** Releases of the projects, their deploys, and what is counted of them. */
export function releaseRoutes(): CoreRoute[] {
  return [listRoute(), getRoute(), putRoute(), deployRoute(), deleteRoute()];
}

function listRoute(): CoreRoute {
  return operation({
    ...READ,
    at: 'GET /api/v1/releases',
    id: 'listReleases',
    summary: 'List releases, recorded or named by crashes, with their deploys and counts',
    query: { project: 'Of this project. Default: of all' },
    pages: 'always',
    what: 'Newest first',
    schema: pageSchema,
    problems: ['not_found'],
    async run(call) {
      const { engine, request } = call;
      const { project } = request.query;
      const projects = project ? [projectOf(call, project)] : projectsOf(call);
      const known = await knownReleases(engine, projects);
      const query = { ...request.query, limit: String(readLimit(request.query.limit)) };
      const { page, next } = pageOf(known, query, (one) => JSON.stringify([one.project, one.version]));
      return { releases: await withFacts(engine, page), total: known.length, next };
    },
  });
}

function getRoute(): CoreRoute {
  return operation({
    ...READ,
    at: `GET ${PATH}`,
    id: 'getRelease',
    summary: 'Get a release with its commits and deploys',
    what: 'The release',
    schema: detailSchema,
    problems: ['not_found'],
    async run(call) {
      const { engine } = call;
      const [project, version] = placeOf(call);
      const known = (await knownReleases(engine, [project])).filter((one) => one.version === version);
      const [found] = await withFacts(engine, known);
      if (found === undefined) throw unknownRelease(project, version);
      return { ...found, commits: await engine.releases.commits(project, version) };
    },
  });
}

function putRoute(): CoreRoute {
  return {
    ...WRITE,
    access: 'reviewer',
    method: 'PUT',
    pattern: PATH,
    bodyLimit: 512 * 1024,
    doc: {
      id: 'recordRelease',
      summary: 'Record a release, or change one that is recorded',
      headers: { 'If-Match': '`*`: only change it. Rejects with `not_found` if it is not recorded' },
      body: { schema: releaseBody, required: false },
      answers: {
        200: { what: 'The release, which was recorded before', schema: releaseSchema },
        201: { what: 'The release, which is new', schema: releaseSchema },
      },
      problems: ['not_found', 'storage_unavailable', 'code_host_unavailable'],
    },
    async handle(call: ReviewerCall) {
      const { request, engine } = call;
      const [project, version] = placeOf(call);
      const { commit, previous, commits, ...facts } = readOptionalBody(request, releaseBody);
      if (commit !== undefined && commits !== undefined)
        throw new CulpritError('malformed', 'Pass "commit" or "commits", not both.', { path: 'commits' });
      if (
        request.headers['if-match']?.trim() === '*' &&
        (await engine.releases.find(project, version)) === null
      )
        throw notRecorded(project, version);
      const content = commits ? { commits } : commit === undefined ? undefined : { commit, previous };
      const { release, created } = await engine.releases.record(project, version, facts, content);
      return jsonResponse(created ? 201 : 200, release);
    },
  };
}

function deployRoute(): CoreRoute {
  return operation({
    ...WRITE,
    at: `POST ${PATH}/deploys`,
    id: 'recordDeploy',
    summary: 'Record a deploy of a release',
    body: deployBody,
    status: 201,
    what: 'The deploy',
    schema: deploySchema,
    problems: ['not_found'],
    admit: placeOf,
    run: (call) => call.engine.releases.deploy(...placeOf(call), call.body),
  });
}

function deleteRoute(): CoreRoute {
  return operation({
    ...WRITE,
    at: `DELETE ${PATH}`,
    id: 'deleteRelease',
    summary: 'Delete a recorded release. The counts of its crashes are kept',
    what: 'Forgotten',
    problems: ['not_found'],
    run: (call) => call.engine.releases.remove(...placeOf(call)),
  });
}

function placeOf(call: ReviewerCall): [project: string, version: string] {
  return [projectOf(call), call.request.params.version ?? ''];
}

function notRecorded(project: string, version: string): CulpritError {
  const detail = `Project ${project} has no release ${JSON.stringify(version.slice(0, 200))}. Record it with: culprit releases new`;
  return new CulpritError('not_found', detail);
}

function unknownRelease(project: string, version: string): CulpritError {
  const detail = `Project ${project} has no release ${JSON.stringify(version.slice(0, 200))}, and no crash names it.`;
  return new CulpritError('not_found', detail);
}
