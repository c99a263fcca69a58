import { bodyProblem } from '../openapi.js';
import { BODY_CHARS, changeable, invalid, paged, readIssue, roleOf } from './issues.js';
import { type Answer, allows, lacks, limited, type RestRequest, refuse, type World } from './request.js';
import { comment as shape } from './shapes.js';

/** Oldest first. A comment appears after the listing lag, as an issue does. */
export function listComments(world: World, request: RestRequest, name: string, id: string): Answer {
  const issue = readIssue(world, request, name, id);
  if (issue.status === 301) {
    const location = `${issue.headers?.location}/comments`;
    return { ...issue, headers: { location } };
  }
  const stored = world.state.issue(name, Number(id));
  if (issue.status !== 200 || stored === null) return issue;
  const since = request.query.get('since');
  const shown = world.state
    .commentsOf(stored)
    .filter(({ listedAt }) => listedAt <= world.state.now())
    .filter(({ createdAt }) => since === null || createdAt >= Date.parse(since));
  return paged(
    request,
    shown.map((one) => shape(one, request.base)),
  );
}

export function createComment(world: World, request: RestRequest, name: string, id: string): Answer {
  if (!allows(request.token, 'issues', 'write')) return lacks('issues', 'write');
  const stored = changeable(world, request, name, id, 'read');
  if ('status' in stored) return stored;
  if (world.options.repositories[name]?.archived)
    return refuse(403, 'Repository was archived so is read-only.');
  if (stored.locked === true && (roleOf(request) !== 'push' || request.token.app))
    return refuse(403, 'Unable to create comment because issue is locked.');
  const problem = bodyProblem('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const { body } = request.body as { body: string };
  if ([...body].length > BODY_CHARS)
    return invalid('body', `Body is too long (maximum is ${BODY_CHARS} characters)`);
  const over = world.limits.takeContent(request.token.user);
  if (over) return limited(over);
  return { status: 201, body: shape(world.state.comment(stored, body, request.token.user), request.base) };
}
