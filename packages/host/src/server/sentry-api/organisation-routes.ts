import { scopesOf } from '@culprit/core/internal/domain/access';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { projectsOf, sentryRoute } from './sentry-route.js';

/** When the first installation could have recorded a repository: nobody reads it, and the program requires a date. */
const CREATED = '2026-01-01T00:00:00Z';

const authSchema = v.object({
  version: v.string(),
  auth: v.object({ scopes: v.array(v.string()) }),
  user: v.object({ id: v.string(), username: v.string(), email: v.string() }),
});
const repositorySchema = v.object({
  id: v.string(),
  name: v.string(),
  url: v.nullable(v.string()),
  provider: v.object({ id: v.string(), name: v.string() }),
  status: v.string(),
  dateCreated: v.string(),
});
const projectSchema = v.object({ id: v.string(), slug: v.string(), name: v.string(), team: v.null() });

/** Who the credential belongs to, and which projects and repositories there are. */
export function sentryOrganisationRoutes(): CoreRoute[] {
  return [
    sentryRoute({
      method: 'GET',
      path: '/',
      id: 'sentryGetCredential',
      summary: 'Get the name of the credential, for sentry-cli',
      answers: { 200: { what: 'Its name and scopes', schema: authSchema } },
      handle({ identity: { reviewer, access } }) {
        const user = { id: reviewer.name, username: reviewer.name, email: reviewer.name };
        return jsonResponse(200, { version: '0', auth: { scopes: [...scopesOf(access)] }, user });
      },
    }),
    sentryRoute({
      method: 'GET',
      path: '/organizations/:organisation/projects/',
      id: 'sentryListProjects',
      summary: 'List the projects, for sentry-cli',
      answers: { 200: { what: 'The configured projects', schema: v.array(projectSchema) } },
      handle: (call) =>
        jsonResponse(
          200,
          projectsOf(call).map((name) => ({ id: name, slug: name, name, team: null })),
        ),
    }),
    sentryRoute({
      method: 'GET',
      path: '/organizations/:organisation/repos/',
      id: 'sentryListRepositories',
      summary: 'List the repositories of the projects, for sentry-cli',
      answers: {
        200: {
          what: 'Those on GitHub and GitLab; for others, sentry-cli sends commits',
          schema: v.array(repositorySchema),
        },
      },
      handle: (call) => {
        const allowed = projectsOf(call);
        const addresses = call.engine.releases
          .projects()
          .flatMap(({ name, repository }) =>
            allowed.includes(name) && repository !== null ? [repository] : [],
          );
        return jsonResponse(200, [...new Set(addresses)].flatMap(repositoryOf));
      },
    }),
  ];
}

/** Empty for repositories that `sentry-cli` cannot compare with a checkout. */
function repositoryOf(address: string): v.InferOutput<typeof repositorySchema>[] {
  const name = repositoryName(address);
  const provider = address.startsWith('gitlab:')
    ? { id: 'integrations:gitlab', name: 'GitLab', web: 'https://gitlab.com' }
    : /^[\w.-]+\/[\w.-]+$/.test(address)
      ? { id: 'integrations:github', name: 'GitHub', web: 'https://github.com' }
      : null;
  if (provider === null) return [];
  return [
    {
      id: address,
      name,
      url: `${provider.web}/${name}`,
      provider: { id: provider.id, name: provider.name },
      status: 'active',
      dateCreated: CREATED,
    },
  ];
}

/** `acme/shop` of `acme/shop`, `gitlab:acme/shop` and `/srv/acme/shop.git`. */
export function repositoryName(address: string): string {
  const path = address.replace(/^(?:gitlab|forgejo):/, '');
  if (!path.startsWith('/')) return path;
  return path
    .replace(/\/?\.git\/?$/, '')
    .split('/')
    .slice(-2)
    .join('/');
}
