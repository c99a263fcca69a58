import {
  type Answer,
  accountOf,
  FORBIDDEN,
  type Handle,
  levelOf,
  notFound,
  ok,
  type RestRequest,
  refuse,
  userShape,
} from './answer.js';
import { blameFile, readFile } from './files.js';
import {
  closedBy,
  createIssue,
  createNote,
  listIssues,
  listNotes,
  readIssue,
  updateIssue,
} from './issues.js';
import type { DoubleRepository, DoubleToken, LiveOptions } from './options.js';
import {
  history,
  listCommits,
  listDeployments,
  listRefs,
  listReleases,
  listTags,
  mergeBase,
  mergeRequestsOf,
  readCommit,
  readDiff,
  readTree,
} from './repository.js';
import type { State } from './state.js';

const readProject: Handle = async ({ project, repository, token, base, options, query }) => {
  const code = levelOf(token) >= CODE;
  const head = code ? await history({ repository }).resolve('HEAD') : null;
  const name = await history({ repository }).text('symbolic-ref', '--short', 'HEAD');
  return ok({
    id: projectId(options, project),
    path_with_namespace: project,
    default_branch: head === null ? null : (name?.trim() ?? null),
    web_url: `${base}/${project}`,
    repository_object_format: 'sha1',
    ...(code && query.get('statistics') === 'true' ? { statistics: statisticsOf(repository) } : {}),
    archived: repository.archived ?? false,
    empty_repo: head === null,
    issues_access_level: repository.issuesDisabled ? 'disabled' : 'enabled',
    permissions: { project_access: { access_level: levelOf(token) }, group_access: null },
  });
};

/** In bytes. */
function statisticsOf({ megabytes = 0.5 }: DoubleRepository) {
  const size = Math.round(megabytes * 1_000_000);
  return { storage_size: size, repository_size: size };
}

const HANDLES: Readonly<Record<string, Handle>> = {
  'GET /projects/{id}': readProject,
  'GET /projects/{id}/repository/tree': readTree,
  'GET /projects/{id}/repository/files/{file_path}': readFile,
  'GET /projects/{id}/repository/files/{file_path}/blame': blameFile,
  'GET /projects/{id}/repository/commits': listCommits,
  'GET /projects/{id}/repository/commits/{sha}': readCommit,
  'GET /projects/{id}/repository/commits/{sha}/diff': readDiff,
  'GET /projects/{id}/repository/commits/{sha}/refs': listRefs,
  'GET /projects/{id}/repository/commits/{sha}/merge_requests': mergeRequestsOf,
  'GET /projects/{id}/repository/merge_base': mergeBase,
  'GET /projects/{id}/repository/tags': listTags,
  'GET /projects/{id}/releases': listReleases,
  'GET /projects/{id}/deployments': listDeployments,
  'GET /projects/{id}/issues': listIssues,
  'POST /projects/{id}/issues': createIssue,
  'GET /projects/{id}/issues/{issue_iid}': readIssue,
  'PUT /projects/{id}/issues/{issue_iid}': updateIssue,
  'GET /projects/{id}/issues/{issue_iid}/closed_by': closedBy,
  'GET /projects/{id}/issues/{issue_iid}/notes': listNotes,
  'POST /projects/{id}/issues/{issue_iid}/notes': createNote,
};
/** The double's projects are private: code takes the role Reporter. */
export const CODE = 20;

export async function rest(options: LiveOptions, state: State, request: RestRequest): Promise<Answer> {
  const { route, method, token, url, params } = request;
  if (!mayUse(token, method, route)) return insufficient(method);
  if (!route.includes('{id}')) return aboutUser(options, request);
  const project = nameOf(options, params.id ?? '');
  const repository = options.repositories[project];
  if (repository === undefined || (token.projects && !token.projects.includes(project)))
    return notFound('Project');
  if (repository.renamedTo !== undefined) return moved(options, request, repository.renamedTo);
  if (/\/(?:repository|deployments)/.test(route) && levelOf(token) < CODE) return FORBIDDEN;
  const handle = HANDLES[route];
  if (handle === undefined) return notFound('');
  return handle({ ...request, options, state, project, repository, query: url.searchParams });
}

function mayUse({ scopes }: DoubleToken, method: string, route: string): boolean {
  if (scopes.includes('api')) return true;
  if (method !== 'GET') return false;
  if (scopes.includes('read_api') || route === 'GET /personal_access_tokens/self') return true;
  return scopes.includes('read_repository') && route.includes('/repository/files/');
}

function insufficient(method: string): Answer {
  const error_description = 'The request requires higher privileges than provided by the access token.';
  const scope = method === 'GET' ? 'api read_api' : 'api';
  return { status: 403, body: { error: 'insufficient_scope', error_description, scope } };
}

function aboutUser(options: LiveOptions, { route, token, url, base }: RestRequest): Answer {
  switch (route) {
    case 'GET /user':
      return ok(userShape(options, token.user, base));
    case 'GET /users': {
      const username = url.searchParams.get('username') ?? '';
      return ok(accountOf(options, username) === 0 ? [] : [userShape(options, username, base)]);
    }
    default: {
      if (token.oauth) return refuse(404, '404 Not found');
      const expires_at =
        token.expiresAt === undefined ? null : new Date(token.expiresAt).toISOString().slice(0, 10);
      return ok({ id: 1, name: 'culprit', active: true, scopes: token.scopes, expires_at });
    }
  }
}

/** A number or a path. */
function nameOf(options: LiveOptions, id: string): string {
  return Object.keys(options.repositories).find((name) => String(projectId(options, name)) === id) ?? id;
}

function projectId({ repositories }: LiveOptions, name: string): number {
  return 501 + Object.keys(repositories).indexOf(name);
}

/** Reads are redirected to the project's number; writes are refused. */
function moved(options: LiveOptions, { method, url, base }: RestRequest, to: string): Answer {
  if (method !== 'GET') return refuse(405, 'Non GET methods are not allowed for moved projects');
  const rest = url.pathname.split('/').slice(5).join('/');
  const path = `/api/v4/projects/${projectId(options, to)}${rest === '' ? '' : `/${rest}`}`;
  const location = `${base}${path}${url.search}`;
  return {
    status: 301,
    headers: { location },
    body: `This resource has been moved permanently to ${location}`,
  };
}
