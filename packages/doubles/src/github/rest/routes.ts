import { POLICIES, policyHeaders } from '../policies.js';
import { createComment, listComments } from './comments.js';
import {
  compareCommits,
  listCommits,
  readCommit,
  readGitCommit,
  readRef,
  readTag,
  readTree,
} from './history.js';
import { listIssueTypes } from './issue-types.js';
import {
  addAssignees,
  addLabels,
  createIssue,
  createLabel,
  listIssues,
  listLabels,
  readAssignee,
  readIssue,
  readLabel,
  updateIssue,
} from './issues.js';
import { type Answer, type Handle, type RestRequest, refuse, repositoryOf, type World } from './request.js';
import { user } from './shapes.js';

/** GitHub's name of the route, path after `/repos/{owner}/{repo}`, handler. */
const ROUTES: readonly (readonly [string, RegExp, Handle])[] = [
  ['GET /repos/{owner}/{repo}/issues', /^\/issues$/, listIssues],
  ['POST /repos/{owner}/{repo}/issues', /^\/issues$/, createIssue],
  ['GET /repos/{owner}/{repo}/issues/{issue_number}', /^\/issues\/(\d+)$/, readIssue],
  ['PATCH /repos/{owner}/{repo}/issues/{issue_number}', /^\/issues\/(\d+)$/, updateIssue],
  ['POST /repos/{owner}/{repo}/issues/{issue_number}/labels', /^\/issues\/(\d+)\/labels$/, addLabels],
  [
    'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees',
    /^\/issues\/(\d+)\/assignees$/,
    addAssignees,
  ],
  ['GET /repos/{owner}/{repo}/issues/{issue_number}/comments', /^\/issues\/(\d+)\/comments$/, listComments],
  ['POST /repos/{owner}/{repo}/issues/{issue_number}/comments', /^\/issues\/(\d+)\/comments$/, createComment],
  ['GET /repos/{owner}/{repo}/labels', /^\/labels$/, listLabels],
  ['POST /repos/{owner}/{repo}/labels', /^\/labels$/, createLabel],
  ['GET /repos/{owner}/{repo}/labels/{name}', /^\/labels\/(.+)$/, readLabel],
  ['GET /repos/{owner}/{repo}/commits', /^\/commits$/, listCommits],
  ['GET /repos/{owner}/{repo}/commits/{ref}', /^\/commits\/(.+)$/, readCommit],
  ['GET /repos/{owner}/{repo}/compare/{basehead}', /^\/compare\/(.+)$/, compareCommits],
  ['GET /repos/{owner}/{repo}/git/commits/{commit_sha}', /^\/git\/commits\/([^/]+)$/, readGitCommit],
  ['GET /repos/{owner}/{repo}/git/ref/{ref}', /^\/git\/ref\/(.+)$/, readRef],
  ['GET /repos/{owner}/{repo}/git/tags/{tag_sha}', /^\/git\/tags\/([^/]+)$/, readTag],
  ['GET /repos/{owner}/{repo}/git/trees/{tree_sha}', /^\/git\/trees\/(.+)$/, readTree],
  ['GET /repos/{owner}/{repo}/issue-types', /^\/issue-types$/, listIssueTypes],
  ['GET /repos/{owner}/{repo}/assignees/{assignee}', /^\/assignees\/([^/]+)$/, readAssignee],
];

const API_VERSIONS: readonly string[] = ['2022-11-28', '2026-03-10'];

/** An answer that has no description to validate it against. */
const unchecked = (answer: Answer) => ({ route: '', answer });

/** The response, and GitHub's name of the route for validating it. */
export async function rest(
  world: World,
  request: RestRequest,
): Promise<{ readonly route: string; readonly answer: Answer }> {
  const version = request.headers['x-github-api-version'];
  if (version !== undefined && !API_VERSIONS.includes(String(version)))
    return unchecked(refuse(400, `Version "${version}" is not supported.`));
  if (request.path === '/user' && request.method === 'GET') {
    if (request.token.app) return unchecked(refuse(403, 'Resource not accessible by integration'));
    return unchecked({ status: 200, body: user(request.token.user, request.base) });
  }
  if (request.path === '/rate_limit') {
    if (world.options.enterprise) return unchecked(refuse(404, 'Rate limiting is not enabled.'));
    const reset = Math.ceil(world.state.now() / 1_000) + 3_600;
    const limit = { limit: 5_000, remaining: 4_999, reset, used: 1 };
    const body = { resources: { core: limit, graphql: limit, search: limit }, rate: limit };
    return unchecked({ status: 200, body });
  }
  const match = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path);
  if (!match) return unchecked(refuse(404, 'Not Found'));
  const found = repositoryOf(world, request.token, `${match[1]}/${match[2]}`);
  if (found === null) return unchecked(refuse(404, 'Not Found'));
  const [name, repository] = found;
  const { policy } = repository;
  if (policy !== undefined) return unchecked(refuse(403, POLICIES[policy], {}, policyHeaders(policy)));
  if (repository.renamedTo !== undefined)
    return unchecked(moved(request, repository.renamedTo, match[3] ?? ''));
  for (const [route, pattern, handle] of ROUTES) {
    const fits = route.startsWith(`${request.method} `) ? pattern.exec(match[3] ?? '') : null;
    if (fits) return { route, answer: await handle(world, request, name, decodeURIComponent(fits[1] ?? '')) };
  }
  return unchecked(refuse(404, 'Not Found'));
}

/** GET 301, others 307 (docs: best practices for using the REST API, redirects). */
function moved(request: RestRequest, to: string, rest: string): Answer {
  const location = `${request.base}/repos/${to}${rest}${request.query.size > 0 ? `?${request.query}` : ''}`;
  const documentation_url = 'https://docs.github.com/rest';
  const body = { message: 'Moved Permanently', url: location, documentation_url };
  return { status: request.method === 'GET' ? 301 : 307, headers: { location }, body };
}
