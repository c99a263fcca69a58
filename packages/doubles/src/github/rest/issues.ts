import { bodyProblem } from '../openapi.js';
import type { StateReason, StoredIssue } from '../state.js';
import { AGENT, hasAgent } from './coding-agent.js';
import { issueTypeNamed } from './issue-types.js';
import type { RestRequest, World } from './request.js';
import { type Answer, allows, lacks, limited, refuse, repositoryOf } from './request.js';
import { label as labelShape, issue as shape } from './shapes.js';

/** Limits of an issue; beyond them GitHub returns 422 with these messages. */
const TITLE_CHARS = 256;
export const BODY_CHARS = 65_536;
const ASSIGNEES = 10;
/** Issues that can be listed by page number. */
const NUMBERED = 10_000;

function disabled(): Answer {
  return refuse(410, 'Issues are disabled for this repo');
}

/** Newest first. An issue appears after its listing lag (up to minutes on GitHub). */
export function listIssues(world: World, request: RestRequest, name: string): Answer {
  const [, repository] = repositoryOf(world, request.token, name) ?? [];
  if (!repository) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  if (repository.issuesDisabled) return disabled();
  const { query } = request;
  const since = query.get('since');
  const creator = query.get('creator');
  const labels = query.get('labels')?.split(',') ?? [];
  const state = query.get('state') ?? 'open';
  const shown = world.state
    .of(name)
    .filter((stored) => stored.gone === undefined && stored.listedAt <= world.state.now())
    .filter((stored) => state === 'all' || stored.state === state)
    .filter((stored) => since === null || stored.updatedAt >= Date.parse(since))
    .filter((stored) => creator === null || (stored.user === creator && !creator.endsWith('[bot]')))
    .filter((stored) => labels.every((wanted) => has(stored.labels, wanted)))
    .sort((a, b) => b.createdAt - a.createdAt || b.number - a.number);
  const ordered = query.get('direction') === 'asc' ? shown.reverse() : shown;
  return cursorPaged(request, ordered);
}

/** A page number reaches the first 10,000 issues only; the `Link` header leads on by cursor. */
function cursorPaged(request: RestRequest, all: readonly StoredIssue[]): Answer {
  const size = Math.min(100, Math.max(1, Number(request.query.get('per_page') ?? 30) || 30));
  const page = Math.max(1, Number(request.query.get('page') ?? 1) || 1);
  if (page * size >= NUMBERED) {
    const message =
      'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)';
    return refuse(422, message);
  }
  const after = request.query.get('after');
  const from =
    after === null
      ? (page - 1) * size
      : all.findIndex(({ number }) => number === Number(Buffer.from(after, 'base64url'))) + 1;
  const shown = all.slice(from, from + size);
  const body = shown.map((stored) => shape(stored, request.base));
  const last = shown.at(-1);
  if (last === undefined || from + size >= all.length) return { status: 200, body };
  const next = new URLSearchParams(request.query);
  next.delete('page');
  next.set('after', Buffer.from(String(last.number)).toString('base64url'));
  return { status: 200, body, headers: { link: `<${request.base}${request.path}?${next}>; rel="next"` } };
}

export function listLabels(world: World, request: RestRequest, name: string): Answer {
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  const labels = [...world.state.labelsOf(name)].map((label) => labelShape(label, name, request.base));
  return paged(request, labels);
}

export function paged(request: RestRequest, all: readonly unknown[]): Answer {
  const size = Math.min(100, Math.max(1, Number(request.query.get('per_page') ?? 30) || 30));
  const page = Math.max(1, Number(request.query.get('page') ?? 1) || 1);
  const body = all.slice((page - 1) * size, page * size);
  if (page * size >= all.length) return { status: 200, body };
  const next = new URLSearchParams(request.query);
  next.set('page', String(page + 1));
  return { status: 200, body, headers: { link: `<${request.base}${request.path}?${next}>; rel="next"` } };
}

export function createIssue(world: World, request: RestRequest, name: string): Answer {
  const [, repository] = repositoryOf(world, request.token, name) ?? [];
  if (!repository) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'write')) return lacks('issues', 'write');
  if (repository.archived) return refuse(403, 'Repository was archived so is read-only.');
  if (repository.issuesDisabled) return disabled();
  const problem = bodyProblem('POST /repos/{owner}/{repo}/issues', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const wanted = request.body as {
    title: string;
    body?: string;
    labels?: (string | { name: string })[];
    assignees?: string[];
    type?: string | null;
  };
  const title = String(wanted.title);
  const body = wanted.body ?? '';
  if (title.trim() === '') return invalid('title', "title can't be blank");
  if ([...title].length > TITLE_CHARS)
    return invalid('title', `title is too long (maximum is ${TITLE_CHARS} characters)`);
  if ([...body].length > BODY_CHARS)
    return invalid('body', `body is too long (maximum is ${BODY_CHARS} characters)`);
  const over = world.limits.takeContent(request.token.user);
  if (over) return limited(over);
  const known = world.state.labelsOf(name);
  const push = roleOf(request) === 'push';
  const assignees = push ? (wanted.assignees ?? []).slice(0, ASSIGNEES) : [];
  const stranger = assignees.find((login) => !isAssignable(world, name, login));
  if (stranger !== undefined) {
    const errors = [{ value: stranger, resource: 'Issue', field: 'assignees', code: 'invalid' }];
    return refuse(422, 'Validation Failed', { errors });
  }
  const type = push ? (wanted.type ?? null) : null;
  const issueType = type === null ? null : issueTypeNamed(world, name, type);
  if (issueType === undefined) {
    const errors = [{ value: type, resource: 'Issue', field: 'type', code: 'invalid' }];
    return refuse(422, 'Validation Failed', { errors });
  }
  const labels = push
    ? labelled(
        known,
        (wanted.labels ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.name)),
      )
    : [];
  const { user } = request.token;
  const stored = world.state.add({ repository: name, title, body, labels, assignees, issueType, user });
  return { status: 201, body: shape(stored, request.base) };
}

export function invalid(field: string, message: string): Answer {
  const errors = [{ resource: 'Issue', code: 'custom', field, message }];
  return refuse(422, 'Validation Failed', { errors });
}

export function readIssue(world: World, request: RestRequest, name: string, id: string): Answer {
  const [, found] = repositoryOf(world, request.token, name) ?? [];
  if (!found) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  if (found.issuesDisabled) return disabled();
  const stored = world.state.issue(name, Number(id));
  if (!stored) return refuse(404, 'Not Found');
  if (stored.gone === 'deleted') return refuse(410, 'This issue was deleted');
  if (stored.gone === undefined) return { status: 200, body: shape(stored, request.base) };
  const { repository, number } = stored.gone;
  if (!repositoryOf(world, request.token, repository)) return refuse(404, 'Not Found');
  const location = `${request.base}/repos/${repository}/issues/${number}`;
  const body = {
    message: 'Moved Permanently',
    url: location,
    documentation_url: 'https://docs.github.com/rest',
  };
  return { status: 301, headers: { location }, body };
}

/** Adds labels to an existing issue, which the triage role may. */
export function addLabels(world: World, request: RestRequest, name: string, id: string): Answer {
  const stored = changeable(world, request, name, id);
  if ('status' in stored) return stored;
  const problem = bodyProblem('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const { labels } = request.body as { labels: string[] };
  const known = world.state.labelsOf(name);
  if (roleOf(request) !== 'push' && labels.some((label) => !has([...known], label))) {
    const errors = [{ resource: 'Repository', field: 'label', code: 'unauthorized' }];
    return refuse(403, 'You do not have permission to create labels on this repository.', { errors });
  }
  const all = [...new Set([...stored.labels, ...labelled(known, labels)])];
  world.state.change(stored, { labels: all });
  return { status: 200, body: stored.labels.map((label) => labelShape(label, name, request.base)) };
}

/** Adds those who can be assigned; the others are silently ignored here. */
export function addAssignees(world: World, request: RestRequest, name: string, id: string): Answer {
  const stored = changeable(world, request, name, id);
  if ('status' in stored) return stored;
  const problem = bodyProblem('POST /repos/{owner}/{repo}/issues/{issue_number}/assignees', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const { assignees } = request.body as { assignees: string[] };
  const added = assignees.flatMap((login) => {
    if (login === AGENT) return hasAgent(world, request, name) ? ['Copilot'] : [];
    return isAssignable(world, name, login) ? [login] : [];
  });
  const all = [...new Set([...stored.assignees, ...added])].slice(0, ASSIGNEES);
  world.state.change(stored, { assignees: all });
  return { status: 201, body: shape(stored, request.base) };
}

/** The issue, or why the token's user may not change it. `least`: the role that the change takes. */
export function changeable(
  world: World,
  request: RestRequest,
  name: string,
  id: string,
  least: 'read' | 'triage' = 'triage',
): Answer | StoredIssue {
  const stored = world.state.issue(name, Number(id));
  if (!stored) return refuse(404, 'Not Found');
  if (stored.gone !== undefined) return refuse(410, 'This issue was deleted');
  const allowed = least === 'read' || roleOf(request) !== 'read';
  if (!allows(request.token, 'issues', 'write') || !allowed) return lacks('issues', 'write');
  return stored;
}

export function roleOf({ token }: RestRequest) {
  return token.role ?? 'push';
}

export function readAssignee(world: World, request: RestRequest, name: string, login: string): Answer {
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  return isAssignable(world, name, login) ? { status: 204, body: null } : refuse(404, 'Not Found');
}

function isAssignable(world: World, name: string, login: string): boolean {
  const known = [
    ...Object.values(world.options.tokens).map(({ user }) => user),
    ...(world.options.repositories[name]?.assignable ?? []),
  ];
  return known.some((one) => one.toLowerCase() === login.toLowerCase());
}

export function updateIssue(world: World, request: RestRequest, name: string, id: string): Answer {
  if (!repositoryOf(world, request.token, name)) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'write')) return lacks('issues', 'write');
  const problem = bodyProblem('PATCH /repos/{owner}/{repo}/issues/{issue_number}', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const stored = world.state.issue(name, Number(id));
  if (!stored) return refuse(404, 'Not Found');
  if (stored.gone !== undefined) return refuse(410, 'This issue was deleted');
  const wanted = request.body as {
    state?: 'open' | 'closed';
    state_reason?: StateReason;
    title?: string;
    body?: string;
  };
  const { state, state_reason, title, body } = wanted;
  // Without triage, one may close only one's own issues, and reopen only what one closed.
  const reopens = state === 'open' && stored.state === 'closed';
  const closes = state === 'closed' && stored.state === 'open';
  const { user } = request.token;
  if (closes && roleOf(request) === 'read' && stored.user !== user) return lacks('issues', 'write');
  if (reopens && roleOf(request) === 'read' && stored.closedBy !== user) return lacks('issues', 'write');
  const usual = state === 'closed' ? 'completed' : 'reopened';
  world.state.change(stored, {
    ...(state === undefined || state === stored.state
      ? {}
      : { state, stateReason: state_reason ?? usual, closedBy: user }),
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
  });
  return { status: 200, body: shape(stored, request.base) };
}

export function readLabel(world: World, request: RestRequest, name: string, label: string): Answer {
  if (!repositoryOf(world, request.token, name)) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  if (!has([...world.state.labelsOf(name)], label)) return refuse(404, 'Not Found');
  return { status: 200, body: labelShape(label, name, request.base) };
}

export function createLabel(world: World, request: RestRequest, name: string): Answer {
  const [, repository] = repositoryOf(world, request.token, name) ?? [];
  if (!repository) return refuse(404, 'Not Found');
  if (repository.archived) return refuse(403, 'Repository was archived so is read-only.');
  if (!allows(request.token, 'issues', 'write') || roleOf(request) !== 'push')
    return lacks('issues', 'write');
  const problem = bodyProblem('POST /repos/{owner}/{repo}/labels', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const { name: label } = request.body as { name: string };
  const known = world.state.labelsOf(name);
  const exists = has([...known], label);
  if (label.length > 50 || exists) {
    const code = exists ? 'already_exists' : 'custom';
    return refuse(422, 'Validation Failed', { errors: [{ resource: 'Label', code, field: 'name' }] });
  }
  const over = world.limits.takeContent(request.token.user);
  if (over) return limited(over);
  known.add(label);
  world.state.keep();
  return { status: 201, body: labelShape(label, name, request.base) };
}

/** The labels by the names that they have; a label that does not exist is created. */
function labelled(known: Set<string>, wanted: readonly string[]): string[] {
  const names = wanted.map((label) => {
    const existing = [...known].find((one) => one.toLowerCase() === label.toLowerCase());
    known.add(existing ?? label);
    return existing ?? label;
  });
  return [...new Set(names)];
}

/** GitHub compares the names of labels without case. */
function has(labels: readonly string[], wanted: string): boolean {
  return labels.some((label) => label.toLowerCase() === wanted.toLowerCase());
}
