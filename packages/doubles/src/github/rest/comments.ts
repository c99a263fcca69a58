import { BODY_CHARS, changeable, paged, readIssue, roleOf, tooLong } from './issues.js';
import { type Handle, limited, movedTo, needing, refuse, wrongBody } from './request.js';
import { comment as shape } from './shapes.js';

/** Oldest first. A comment appears after the listing lag, as an issue does. */
export const listComments: Handle = async (request) => {
  const { world, name, params, query, base } = request;
  const issue = await readIssue(request);
  if (issue.status === 301) return movedTo(`${issue.headers?.location}/comments`);
  const stored = world.state.issue(name, Number(params.issue_number));
  if (issue.status !== 200 || stored === null) return issue;
  const since = query.get('since');
  const shown = world.state
    .commentsOf(stored)
    .filter(({ listedAt }) => listedAt <= world.state.now())
    .filter(({ createdAt }) => since === null || createdAt >= Date.parse(since));
  return paged(
    request,
    shown.map((one) => shape(one, base)),
  );
};

export const createComment = needing('issues', 'write', (request) => {
  const { world, repository, token, base } = request;
  const stored = changeable(request, 'read');
  if ('status' in stored) return stored;
  if (repository.archived) return refuse(403, 'Repository was archived so is read-only.');
  if (stored.locked === true && (roleOf(request) !== 'push' || token.app))
    return refuse(403, 'Unable to create comment because issue is locked.');
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const { body } = request.body as { body: string };
  if ([...body].length > BODY_CHARS) return tooLong('body', 'Body', BODY_CHARS);
  const over = world.limits.takeContent(token.user);
  if (over) return limited(over);
  return { status: 201, body: shape(world.state.comment(stored, body, token.user), base) };
});
