import { bodyProblem } from '../openapi.js';
import type { RestRequest, World } from './request.js';
import { type Answer, allows, lacks, limited, refuse, repositoryOf } from './request.js';
import { label as labelShape, issue as shape } from './shapes.js';

/** Limits of an issue; beyond them GitHub returns 422 with these messages. */
const TITLE_CHARS = 256;
const BODY_CHARS = 65_536;
const ASSIGNEES = 10;

/** Newest first. An issue appears after its listing lag (up to minutes on GitHub). */
export function listIssues(world: World, request: RestRequest, name: string): Answer {
  const repository = repositoryOf(world, request.token, name);
  if (!repository) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  if (repository.issuesDisabled) return refuse(410, 'Issues has been disabled in this repository.');
  const { query } = request;
  const since = query.get('since');
  const creator = query.get('creator');
  const labels = query.get('labels')?.split(',') ?? [];
  const state = query.get('state') ?? 'open';
  const shown = world.state
    .of(name)
    .filter((stored) => stored.listedAt <= world.state.now())
    .filter((stored) => state === 'all' || stored.state === state)
    .filter((stored) => since === null || stored.updatedAt >= Date.parse(since))
    .filter((stored) => creator === null || stored.user === creator)
    .filter((stored) => labels.every((wanted) => stored.labels.includes(wanted)))
    .sort((a, b) => b.createdAt - a.createdAt || b.number - a.number);
  const ordered = query.get('direction') === 'asc' ? shown.reverse() : shown;
  const shapes = ordered.map((stored) => shape(stored, request.base));
  return paged(request, shapes);
}

export function listLabels(world: World, request: RestRequest, name: string): Answer {
  const labels = [...world.state.labelsOf(name)].map((label) => labelShape(label, name, request.base));
  return paged(request, labels);
}

function paged(request: RestRequest, all: readonly unknown[]): Answer {
  const size = Math.min(100, Math.max(1, Number(request.query.get('per_page') ?? 30) || 30));
  const page = Math.max(1, Number(request.query.get('page') ?? 1) || 1);
  const body = all.slice((page - 1) * size, page * size);
  if (page * size >= all.length) return { status: 200, body };
  const next = new URLSearchParams(request.query);
  next.set('page', String(page + 1));
  return { status: 200, body, headers: { link: `<${request.base}${request.path}?${next}>; rel="next"` } };
}

export function createIssue(world: World, request: RestRequest, name: string): Answer {
  const repository = repositoryOf(world, request.token, name);
  if (!repository) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'write')) return lacks('issues', 'write');
  if (repository.archived) return refuse(403, 'Repository was archived so is read-only.');
  if (repository.issuesDisabled) return refuse(410, 'Issues has been disabled in this repository.');
  const problem = bodyProblem('POST /repos/{owner}/{repo}/issues', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const wanted = request.body as {
    title: string;
    body?: string;
    labels?: (string | { name: string })[];
    assignees?: string[];
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
  const triage = request.token.triage ?? true;
  const labels = triage
    ? [...new Set((wanted.labels ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.name)))]
    : [];
  for (const entry of labels) known.add(entry);
  const assignees = triage ? (wanted.assignees ?? []).slice(0, ASSIGNEES) : [];
  const { user } = request.token;
  const stored = world.state.add({ repository: name, title, body, labels, assignees, user });
  return { status: 201, body: shape(stored, request.base) };
}

function invalid(field: string, message: string): Answer {
  const errors = [{ resource: 'Issue', code: 'custom', field, message }];
  return refuse(422, 'Validation Failed', { errors });
}

export function readIssue(world: World, request: RestRequest, name: string, id: string): Answer {
  if (!repositoryOf(world, request.token, name)) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  const stored = world.state.of(name).find((issue) => issue.number === Number(id));
  return stored ? { status: 200, body: shape(stored, request.base) } : refuse(404, 'Not Found');
}

export function updateIssue(world: World, request: RestRequest, name: string, id: string): Answer {
  if (!repositoryOf(world, request.token, name)) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'write')) return lacks('issues', 'write');
  const problem = bodyProblem('PATCH /repos/{owner}/{repo}/issues/{issue_number}', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const stored = world.state.of(name).find((issue) => issue.number === Number(id));
  if (!stored) return refuse(404, 'Not Found');
  const wanted = request.body as { state?: 'open' | 'closed'; title?: string; body?: string };
  if (wanted.state) stored.state = wanted.state;
  if (wanted.title !== undefined) stored.title = wanted.title;
  if (wanted.body !== undefined) stored.body = wanted.body;
  stored.updatedAt = world.state.now();
  world.state.keep();
  return { status: 200, body: shape(stored, request.base) };
}

export function readLabel(world: World, request: RestRequest, name: string, label: string): Answer {
  if (!repositoryOf(world, request.token, name)) return refuse(404, 'Not Found');
  if (!allows(request.token, 'issues', 'read')) return lacks('issues', 'read');
  if (!world.state.labelsOf(name).has(label)) return refuse(404, 'Not Found');
  return { status: 200, body: labelShape(label, name, request.base) };
}

export function createLabel(world: World, request: RestRequest, name: string): Answer {
  const repository = repositoryOf(world, request.token, name);
  if (!repository) return refuse(404, 'Not Found');
  if (repository.archived) return refuse(403, 'Repository was archived so is read-only.');
  if (!allows(request.token, 'issues', 'write') || request.token.triage === false)
    return lacks('issues', 'write');
  const problem = bodyProblem('POST /repos/{owner}/{repo}/labels', request.body);
  if (problem) return refuse(422, `Invalid request.\n\n${problem}`);
  const { name: label } = request.body as { name: string };
  const known = world.state.labelsOf(name);
  if (label.length > 50 || known.has(label)) {
    const code = known.has(label) ? 'already_exists' : 'custom';
    return refuse(422, 'Validation Failed', { errors: [{ resource: 'Label', code, field: 'name' }] });
  }
  const over = world.limits.takeContent(request.token.user);
  if (over) return limited(over);
  known.add(label);
  world.state.keep();
  return { status: 201, body: labelShape(label, name, request.base) };
}
