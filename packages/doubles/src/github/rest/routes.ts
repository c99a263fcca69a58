import { POLICIES, policyHeaders } from '../policies.js';
import { createComment, listComments } from './comments.js';
import { compareCommits, readCommit, readTree } from './history.js';
import {
  addAssignees,
  addLabels,
  createIssue,
  createLabel,
  listIssues,
  listIssueTypes,
  readAssignee,
  readIssue,
  readLabel,
  updateIssue,
} from './issues.js';
import {
  type Answer,
  type Handle,
  movedTo,
  NOT_FOUND,
  ok,
  type RestRequest,
  refuse,
  repositoryOf,
  type World,
} from './request.js';
import { user } from './shapes.js';

/** By GitHub's name of the route. */
const ROUTES: Readonly<Record<string, Handle>> = {
  'GET /repos/{owner}/{repo}/issues': listIssues,
  'POST /repos/{owner}/{repo}/issues': createIssue,
  'GET /repos/{owner}/{repo}/issues/{issue_number}': readIssue,
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}': updateIssue,
  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels': addLabels,
  'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees': addAssignees,
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': listComments,
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': createComment,
  'POST /repos/{owner}/{repo}/labels': createLabel,
  'GET /repos/{owner}/{repo}/labels/{name}': readLabel,
  'GET /repos/{owner}/{repo}/commits/{ref}': readCommit,
  'GET /repos/{owner}/{repo}/compare/{basehead}': compareCommits,
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': readTree,
  'GET /repos/{owner}/{repo}/issue-types': listIssueTypes,
  'GET /repos/{owner}/{repo}/assignees/{assignee}': readAssignee,
};

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
    return unchecked(ok(user(request.token.user, request.base)));
  }
  if (request.path === '/rate_limit') {
    if (world.options.enterprise) return unchecked(refuse(404, 'Rate limiting is not enabled.'));
    const reset = Math.ceil(world.state.now() / 1_000) + 3_600;
    const limit = { limit: 5_000, remaining: 4_999, reset, used: 1 };
    const body = { resources: { core: limit, graphql: limit, search: limit }, rate: limit };
    return unchecked(ok(body));
  }
  const [, root, owner, repo, ...rest] = request.path.split('/');
  const found = root === 'repos' ? repositoryOf(world, request.token, `${owner}/${repo}`) : null;
  if (found === null) return unchecked(NOT_FOUND);
  const [name, repository] = found;
  const { policy, renamedTo } = repository;
  if (policy !== undefined) return unchecked(refuse(403, POLICIES[policy], {}, policyHeaders(policy)));
  if (renamedTo !== undefined) {
    // GET 301, others 307 (docs: best practices for using the REST API, redirects).
    const place = ['repos', renamedTo, ...rest].join('/');
    const status = request.method === 'GET' ? 301 : 307;
    return unchecked(movedTo(`${request.base}/${place}${request.url.search}`, status));
  }
  const { route, method } = request;
  const handle = route?.startsWith(`${method} `) ? ROUTES[route] : undefined;
  if (route === null || handle === undefined) return unchecked(NOT_FOUND);
  return { route, answer: await handle({ ...request, world, name, repository }) };
}
