import { entriesOf, linkTo, nextPage, pageIn } from '../../shared/http.js';
import type { StateReason, StoredIssue } from '../state.js';
import {
  type Answer,
  allows,
  type Handle,
  invalid,
  lacks,
  limited,
  movedTo,
  NOT_FOUND,
  needing,
  ok,
  type RepositoryRequest,
  refuse,
  repositoryOf,
  type World,
  wrongBody,
} from './request.js';
import { issueType, label as labelShape, issue as shape } from './shapes.js';

/** Limits of an issue; beyond them GitHub returns 422 with these messages. */
const TITLE_CHARS = 256;
export const BODY_CHARS = 65_536;
const ASSIGNEES = 10;
/** Issues that can be listed by page number. */
const NUMBERED = 10_000;

const DISABLED = refuse(410, 'Issues are disabled for this repo');
const DELETED = refuse(410, 'This issue was deleted');
const ARCHIVED = refuse(403, 'Repository was archived so is read-only.');

/** Newest first. An issue appears after its listing lag (up to minutes on GitHub). */
export const listIssues = needing('issues', 'read', (request) => {
  const { world, name, query, repository } = request;
  if (repository.issuesDisabled) return DISABLED;
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
});

/** A page number reaches the first 10,000 issues only; the `Link` header leads on by cursor. */
function cursorPaged({ query, url, base }: RepositoryRequest, all: readonly StoredIssue[]): Answer {
  const { page, size } = pageIn(query, 'per_page', 30);
  if (page * size >= NUMBERED) {
    const message =
      'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)';
    return refuse(422, message);
  }
  const after = query.get('after');
  const from =
    after === null
      ? (page - 1) * size
      : all.findIndex(({ number }) => number === Number(Buffer.from(after, 'base64url'))) + 1;
  const shown = all.slice(from, from + size);
  const body = shown.map((stored) => shape(stored, base));
  const last = shown.at(-1);
  if (last === undefined || from + size >= all.length) return ok(body);
  const cursor = Buffer.from(String(last.number)).toString('base64url');
  return ok(body, linkTo(url, { page: null, after: cursor }));
}

export function paged({ query, url }: RepositoryRequest, all: readonly unknown[]): Answer {
  const asked = pageIn(query, 'per_page', 30);
  return ok(entriesOf(all, asked), nextPage(all, asked, url));
}

export const createIssue = needing('issues', 'write', (request) => {
  const { world, name, token, base, repository } = request;
  if (repository.archived) return ARCHIVED;
  if (repository.issuesDisabled) return DISABLED;
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const wanted = request.body as {
    title: string;
    body?: string;
    labels?: (string | { name: string })[];
    assignees?: string[];
    type?: string | null;
  };
  const title = String(wanted.title);
  const body = wanted.body ?? '';
  if (title.trim() === '') return custom('title', "title can't be blank");
  if ([...title].length > TITLE_CHARS) return tooLong('title', 'title', TITLE_CHARS);
  if ([...body].length > BODY_CHARS) return tooLong('body', 'body', BODY_CHARS);
  const over = world.limits.takeContent(token.user);
  if (over) return limited(over);
  const push = roleOf(request) === 'push';
  const assignees = push ? (wanted.assignees ?? []).slice(0, ASSIGNEES) : [];
  const stranger = assignees.find((login) => !isAssignable(request, login));
  if (stranger !== undefined)
    return invalid({ value: stranger, resource: 'Issue', field: 'assignees', code: 'invalid' });
  const type = push ? (wanted.type ?? null) : null;
  const issueType = type === null ? null : issueTypeNamed(world, name, type);
  if (issueType === undefined)
    return invalid({ value: type, resource: 'Issue', field: 'type', code: 'invalid' });
  const names = (wanted.labels ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.name));
  const labels = push ? labelled(world.state.labelsOf(name), names) : [];
  const { user } = token;
  const stored = world.state.add({ repository: name, title, body, labels, assignees, issueType, user });
  return { status: 201, body: shape(stored, base) };
});

function custom(field: string, message: string): Answer {
  return invalid({ resource: 'Issue', code: 'custom', field, message });
}

export function tooLong(field: string, shown: string, most: number): Answer {
  return custom(field, `${shown} is too long (maximum is ${most} characters)`);
}

export const readIssue = needing('issues', 'read', (request) => {
  const { world, name, params, token, base, repository } = request;
  if (repository.issuesDisabled) return DISABLED;
  const stored = world.state.issue(name, Number(params.issue_number));
  if (!stored) return NOT_FOUND;
  if (stored.gone === 'deleted') return DELETED;
  if (stored.gone === undefined) return ok(shape(stored, base));
  if (!repositoryOf(world, token, stored.gone.repository)) return NOT_FOUND;
  return movedTo(`${base}/repos/${stored.gone.repository}/issues/${stored.gone.number}`);
});

/** Adds labels to an existing issue, which the triage role may. */
export const addLabels: Handle = (request) => {
  const { world, name, base } = request;
  const stored = changeable(request);
  if ('status' in stored) return stored;
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const { labels } = request.body as { labels: string[] };
  const known = world.state.labelsOf(name);
  if (roleOf(request) !== 'push' && labels.some((label) => !has([...known], label))) {
    const errors = [{ resource: 'Repository', field: 'label', code: 'unauthorized' }];
    return refuse(403, 'You do not have permission to create labels on this repository.', { errors });
  }
  const all = [...new Set([...stored.labels, ...labelled(known, labels)])];
  world.state.change(stored, { labels: all });
  return ok(stored.labels.map((label) => labelShape(label, name, base)));
};

/** Adds those who can be assigned; the others are silently ignored here. */
export const addAssignees: Handle = (request) => {
  const stored = changeable(request);
  if ('status' in stored) return stored;
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const { assignees } = request.body as { assignees: string[] };
  const added = assignees.flatMap((login) => {
    if (login === AGENT) return hasAgent(request) ? ['Copilot'] : [];
    return isAssignable(request, login) ? [login] : [];
  });
  const all = [...new Set([...stored.assignees, ...added])].slice(0, ASSIGNEES);
  request.world.state.change(stored, { assignees: all });
  return { status: 201, body: shape(stored, request.base) };
};

/** The issue, or why the token's user may not change it. `least`: the role that the change takes. */
export function changeable(
  request: RepositoryRequest,
  least: 'read' | 'triage' = 'triage',
): Answer | StoredIssue {
  const { world, name, params, token } = request;
  const stored = world.state.issue(name, Number(params.issue_number));
  if (!stored) return NOT_FOUND;
  if (stored.gone !== undefined) return DELETED;
  const allowed = least === 'read' || roleOf(request) !== 'read';
  return allows(token, 'issues', 'write') && allowed ? stored : lacks('issues', 'write');
}

export function roleOf({ token }: RepositoryRequest) {
  return token.role ?? 'push';
}

export const readAssignee = needing('issues', 'read', (request) =>
  isAssignable(request, request.params.assignee ?? '') ? { status: 204, body: null } : NOT_FOUND,
);

function isAssignable({ world, repository }: RepositoryRequest, login: string): boolean {
  const users = Object.values(world.options.tokens).map(({ user }) => user);
  return has([...users, ...(repository.assignable ?? [])], login);
}

export const updateIssue = needing('issues', 'write', (request) => {
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const stored = changeable(request, 'read');
  if ('status' in stored) return stored;
  const { state, state_reason, title, body } = request.body as {
    state?: 'open' | 'closed';
    state_reason?: StateReason;
    title?: string;
    body?: string;
  };
  // Without triage, one may close only one's own issues, and reopen only what one closed.
  const reopens = state === 'open' && stored.state === 'closed';
  const closes = state === 'closed' && stored.state === 'open';
  const { user } = request.token;
  const read = roleOf(request) === 'read';
  if (read && ((closes && stored.user !== user) || (reopens && stored.closedBy !== user)))
    return lacks('issues', 'write');
  const usual = state === 'closed' ? 'completed' : 'reopened';
  request.world.state.change(stored, {
    ...(state && (closes || reopens) ? { state, stateReason: state_reason ?? usual, closedBy: user } : {}),
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
  });
  return ok(shape(stored, request.base));
});

export const readLabel = needing('issues', 'read', ({ world, name, params, base }) => {
  const label = params.name ?? '';
  return has([...world.state.labelsOf(name)], label) ? ok(labelShape(label, name, base)) : NOT_FOUND;
});

export const createLabel: Handle = (request) => {
  const { world, name, token, base, repository } = request;
  if (repository.archived) return ARCHIVED;
  if (!allows(token, 'issues', 'write') || roleOf(request) !== 'push') return lacks('issues', 'write');
  const wrong = wrongBody(request);
  if (wrong) return wrong;
  const { name: label } = request.body as { name: string };
  const known = world.state.labelsOf(name);
  const exists = has([...known], label);
  if (label.length > 50 || exists)
    return invalid({ resource: 'Label', code: exists ? 'already_exists' : 'custom', field: 'name' });
  const over = world.limits.takeContent(token.user);
  if (over) return limited(over);
  known.add(label);
  world.state.keep();
  return { status: 201, body: labelShape(label, name, base) };
};

/** The labels by the names that they have; a label that does not exist is created. */
function labelled(known: Set<string>, wanted: readonly string[]): string[] {
  const names = wanted.map((label) => {
    const existing = [...known].find((one) => one.toLowerCase() === label.toLowerCase());
    known.add(existing ?? label);
    return existing ?? label;
  });
  return [...new Set(names)];
}

/** GitHub compares the names of labels and users without case. */
function has(names: readonly string[], wanted: string): boolean {
  return names.some((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** Copilot's coding agent. It is assigned by this name, and shown as `Copilot`. */
const AGENT = 'copilot-swe-agent[bot]';

/** The agent needs a user whose token may write code and pull requests, and a repository in which it is turned on. */
function hasAgent({ token, repository }: RepositoryRequest): boolean {
  const mayWrite = allows(token, 'contents', 'write') && allows(token, 'pull_requests', 'write');
  return repository.codingAgent === true && mayWrite && !token.app;
}

/** The types of the repository's organisation. An account without types has no such list, and Enterprise Server not this route. */
export const listIssueTypes: Handle = ({ world, name }) => {
  const types = world.options.enterprise ? [] : typesOf(world, name);
  return types.length === 0 ? NOT_FOUND : ok(types.map((type) => issueType(type)));
};

/** GitHub compares the names without case. `undefined`: there is no such type. */
function issueTypeNamed(world: World, repository: string, wanted: string): string | undefined {
  return typesOf(world, repository).find((type) => type.toLowerCase() === wanted.toLowerCase());
}

function typesOf({ options }: World, repository: string): readonly string[] {
  const owner = repository.split('/')[0]?.toLowerCase();
  const known = Object.entries(options.issueTypes ?? {}).find(([login]) => login.toLowerCase() === owner);
  return known?.[1] ?? [];
}
