import { listCommits, readCommit, readGitCommit, readRef, readTag, readTree } from './history.js';
import { createIssue, createLabel, listIssues, paged, readIssue, readLabel, updateIssue } from './issues.js';
import { type Answer, type RestRequest, refuse, repositoryOf, type World } from './request.js';
import { label, user } from './shapes.js';

type Handle = (world: World, request: RestRequest, name: string, rest: string) => Answer | Promise<Answer>;

/** Method, path after `/repos/{owner}/{repo}`, GitHub's name of the route, handler. */
const ROUTES: readonly (readonly [string, RegExp, string, Handle])[] = [
  ['GET', /^\/issues$/, 'GET /repos/{owner}/{repo}/issues', (w, q, n) => listIssues(w, q, n)],
  ['POST', /^\/issues$/, 'POST /repos/{owner}/{repo}/issues', (w, q, n) => createIssue(w, q, n)],
  [
    'GET',
    /^\/issues\/(\d+)$/,
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    (w, q, n, id) => readIssue(w, q, n, Number(id)),
  ],
  [
    'PATCH',
    /^\/issues\/(\d+)$/,
    'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
    (w, q, n, id) => updateIssue(w, q, n, Number(id)),
  ],
  [
    'GET',
    /^\/labels$/,
    'GET /repos/{owner}/{repo}/labels',
    (w, q, n) =>
      paged(
        q,
        '',
        [...w.state.labelsOf(n)].map((name) => label(name, n, q.base)),
      ),
  ],
  ['POST', /^\/labels$/, 'POST /repos/{owner}/{repo}/labels', (w, q, n) => createLabel(w, q, n)],
  ['GET', /^\/labels\/(.+)$/, 'GET /repos/{owner}/{repo}/labels/{name}', readLabel],
  ['GET', /^\/commits$/, 'GET /repos/{owner}/{repo}/commits', (w, q, n) => listCommits(w, q, n)],
  ['GET', /^\/commits\/(.+)$/, 'GET /repos/{owner}/{repo}/commits/{ref}', readCommit],
  ['GET', /^\/git\/commits\/([^/]+)$/, 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}', readGitCommit],
  ['GET', /^\/git\/ref\/(.+)$/, 'GET /repos/{owner}/{repo}/git/ref/{ref}', readRef],
  ['GET', /^\/git\/tags\/([^/]+)$/, 'GET /repos/{owner}/{repo}/git/tags/{tag_sha}', readTag],
  ['GET', /^\/git\/trees\/(.+)$/, 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}', readTree],
  [
    'GET',
    /^\/assignees\/([^/]+)$/,
    'GET /repos/{owner}/{repo}/assignees/{assignee}',
    (w, _q, _n, login) => (knownUser(w, login) ? { status: 204, body: null } : refuse(404, 'Not Found')),
  ],
];

function knownUser(world: World, login: string): boolean {
  return Object.values(world.options.tokens).some((token) => token.user === login);
}

/** The response, and GitHub's name of the route for validating it. */
export async function rest(
  world: World,
  request: RestRequest,
): Promise<{ readonly route: string; readonly answer: Answer }> {
  if (request.path === '/user' && request.method === 'GET') {
    return { route: '', answer: { status: 200, body: user(request.token.user, request.base) } };
  }
  if (request.path === '/rate_limit') {
    if (world.options.enterprise) return { route: '', answer: refuse(404, 'Rate limiting is not enabled.') };
    const limit = {
      limit: 5_000,
      remaining: 4_999,
      reset: Math.ceil(world.state.now() / 1_000) + 3_600,
      used: 1,
    };
    return {
      route: '',
      answer: {
        status: 200,
        body: { resources: { core: limit, graphql: limit, search: limit }, rate: limit },
      },
    };
  }
  const match = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path);
  if (!match) return { route: '', answer: refuse(404, 'Not Found') };
  const name = `${match[1]}/${match[2]}`;
  const repository = repositoryOf(world, request.token, name);
  if (!repository) return { route: '', answer: refuse(404, 'Not Found') };
  if (repository.renamedTo !== undefined)
    return { route: '', answer: moved(request, repository.renamedTo, match[3] ?? '') };
  for (const [method, pattern, route, handle] of ROUTES) {
    const found = method === request.method ? pattern.exec(match[3] ?? '') : null;
    if (found)
      return { route, answer: await handle(world, request, name, decodeURIComponent(found[1] ?? '')) };
  }
  return { route: '', answer: refuse(404, 'Not Found') };
}

/** GET 301, others 307 (docs: best practices for using the REST API, redirects). */
function moved(request: RestRequest, to: string, rest: string): Answer {
  const location = `${request.base}/repos/${to}${rest}${request.query.size > 0 ? `?${request.query}` : ''}`;
  const body = {
    message: 'Moved Permanently',
    url: location,
    documentation_url: 'https://docs.github.com/rest',
  };
  return { status: request.method === 'GET' ? 301 : 307, headers: { location }, body };
}
