import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { readBody } from '../read-body.js';
import type { CoreRoute } from '../route.js';
import { deployShape, sentDeploy, sentryDeploy } from './release-shape.js';
import { releasesOf } from './releases-by-version.js';
import { sentryRoute } from './sentry-route.js';

const PATH = '/organizations/:organisation/releases/:version/deploys/';

/** Deploys as `sentry-cli deploys` sends and reads them. */
export function sentryDeployRoutes(): CoreRoute[] {
  return [
    sentryRoute({
      method: 'GET',
      path: PATH,
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
      path: PATH,
      id: 'sentryCreateDeploy',
      summary: 'Record a deploy of a release in every project that has it, for sentry-cli',
      body: { schema: sentDeploy, limit: 16 * 1024 },
      answers: { 201: { what: 'The deploy', schema: deployShape } },
      problems: ['malformed'],
      handle: async (call) => {
        const { environment, name, url, dateStarted, dateFinished } = readBody(call.request, sentDeploy);
        const { releases, version } = await releasesOf(call);
        const record = (project: string) =>
          call.engine.releases.deploy(project, version, {
            environment,
            name,
            url,
            started_at: dateStarted,
            finished_at: dateFinished,
          });
        const first = await record(releases[0].project);
        for (const { project } of releases.slice(1)) await record(project);
        return jsonResponse(201, sentryDeploy(first));
      },
    }),
  ];
}
