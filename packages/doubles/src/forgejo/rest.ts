import type { Matched } from '../shared/description.js';
import { Git } from '../shared/git.js';
import { entriesOf, nextPage, pageIn } from '../shared/http.js';
import {
  type Answer,
  lacksScope,
  NOT_FOUND,
  refuse,
  shownComment,
  shownIssue,
  shownLabel,
  shownPull,
  shownUser,
  visible,
} from './answer.js';
import type { Operation } from './description.js';
import type { DoubleToken, LiveOptions } from './options.js';
import type { State, StoredIssue, StoredLabel } from './state.js';

export interface RestRequest extends Matched<Operation> {
  readonly method: string;
  readonly url: URL;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: DoubleToken;
  readonly base: string;
}
interface Target extends RestRequest {
  readonly options: LiveOptions;
  readonly state: State;
  /** Current name. */
  readonly name: string;
}

/** The order of the checks is the server's: scope, repository, archive, body, unit. */
export function rest(options: LiveOptions, state: State, request: RestRequest): Answer | Promise<Answer> {
  const { operation, params, token, url } = request;
  const { category, required = [] } = operation;
  if (category !== null) {
    const refusal = lacksScope(token, request.method, category);
    if (refusal !== null) return refusal;
  }
  if (operation.id === 'getVersion') return { status: 200, body: { version: '11.0.1+gitea-1.22.0' } };
  if (operation.id === 'userGetCurrent') return { status: 200, body: shownUser(token.user) };
  if (operation.id === 'orgListLabels') return organizationLabels({ ...request, options, state });
  const asked = `${params.owner}/${params.repo}`;
  const name = visible(options, token, asked);
  if (name === null) return NOT_FOUND;
  const { archived, renamedTo } = options.repositories[name] ?? {};
  if (renamedTo !== undefined) {
    const location = `${url.pathname.replace(`/${asked}`, `/${renamedTo}`)}${url.search}`;
    return { status: 307, body: '', headers: { location } };
  }
  const creates = operation.id === 'issueCreateIssue' || operation.id === 'issueCreateComment';
  if (archived && creates) return refuse(423, `${name} is archived`);
  for (const one of required) {
    const missing = request.body[one] === undefined || request.body[one] === '';
    if (missing) return refuse(422, `[${one.charAt(0).toUpperCase()}${one.slice(1)}]: Required`);
  }
  return HANDLERS[operation.id]?.({ ...request, options, state, name }) ?? NOT_FOUND;
}

/** 404 for people, who have no labels of their own. */
function organizationLabels(target: Omit<Target, 'name'>): Answer {
  const { org = '' } = target.params;
  if (target.options.organizations?.[org] === undefined) return NOT_FOUND;
  const all = target.state.labels.filter(({ repository }) => repository === org);
  return { status: 200, body: entriesOf(all, pagesOf(target)).map(shownLabel) };
}

const HANDLERS: Readonly<Record<string, (target: Target) => Answer | Promise<Answer>>> = {
  repoGet: async ({ options, name }) => {
    const { git, archived = false, issuesDisabled = false } = options.repositories[name] ?? { git: '' };
    const ask = async (...args: readonly string[]) => (await new Git(git, String).text(...args))?.trim();
    return {
      status: 200,
      body: {
        full_name: name,
        default_branch: await ask('symbolic-ref', '--short', 'HEAD'),
        empty: (await ask('for-each-ref', '--count=1')) === '',
        has_issues: !issuesDisabled,
        has_pull_requests: true,
        archived,
        object_format_name: await ask('rev-parse', '--show-object-format'),
      },
    };
  },
  repoGetAssignees: (target) => ({ status: 200, body: assignable(target).map(shownUser) }),
  repoGetCommitPullRequest: ({ state, name, params, base }) => {
    const pull = state.of(name).find(({ merged }) => merged !== undefined && merged === params.sha);
    return pull === undefined ? NOT_FOUND : { status: 200, body: shownPull(pull, base) };
  },
  issueListLabels: (target) => {
    const all = target.state.labels.filter(({ repository }) => repository === target.name);
    return { status: 200, body: entriesOf(all, pagesOf(target)).map(shownLabel) };
  },
  issueCreateLabel: ({ state, name, token, body }) => {
    if (token.writes === false) return refuse(403, 'user should have permission to write to a repository');
    if (!/^#?[0-9a-f]{6}$/i.test(String(body.color))) return refuse(422, 'invalid color');
    return { status: 201, body: shownLabel(state.addLabel(name, String(body.name))) };
  },
  issueListIssues: listIssues,
  issueCreateIssue: createIssue,
  issueGetIssue: (target) => {
    const issue = issueOf(target);
    return issue === null ? NOT_FOUND : { status: 200, body: shown(target, issue) };
  },
  issueEditIssue: (target) => {
    const issue = issueOf(target);
    const { token, state, body } = target;
    if (issue === null) return NOT_FOUND;
    if (issue.user !== token.user && token.writes === false) return { status: 403, body: '' };
    if (body.state === 'open' || body.state === 'closed') state.setState(issue, body.state);
    return { status: 201, body: shown(target, issue) };
  },
  issueAddLabel: (target) => {
    const issue = issueOf(target);
    const { token, state, body } = target;
    if (issue === null) return NOT_FOUND;
    if (token.writes === false) return refuse(403, 'write permission is required');
    const labels = [...new Set([...issue.labels, ...labelNames(target, body.labels)])].sort();
    state.change(issue, { labels });
    return { status: 200, body: issue.labels.map((name) => shownLabel({ id: 0, name })) };
  },
  // The server answers 500 for an issue that does not exist, and tells the reason to administrators only.
  issueGetComments: (target) => {
    const issue = issueOf(target);
    if (issue === null) return refuse(500, '');
    const since = Date.parse(target.url.searchParams.get('since') ?? '1970-01-01T00:00:00Z');
    const found = target.state
      .commentsOf(issue)
      .filter(
        ({ createdAt, listedAt }) =>
          createdAt >= Math.floor(since / 1_000) * 1_000 && listedAt <= target.state.now(),
      );
    return { status: 200, body: found.map((one) => shownComment(one, target.base)) };
  },
  issueCreateComment: (target) => {
    const issue = issueOf(target);
    const { token, state, body, base } = target;
    if (issue === null) return refuse(500, '');
    if (issue.locked && token.writes === false)
      return refuse(403, 'You cannot comment on a locked issue unless you have write access.');
    return { status: 201, body: shownComment(state.comment(issue, String(body.body), token.user), base) };
  },
};

/** Newest first; of one second the later number first. `since` compares the last change. */
function listIssues(target: Target): Answer {
  const { state, name, url, options } = target;
  const query = url.searchParams;
  if (options.repositories[name]?.issuesDisabled && query.get('type') === 'issues') return NOT_FOUND;
  const since = Math.floor(Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z') / 1_000) * 1_000;
  const wanted = query.get('state') ?? 'open';
  const all = state
    .of(name)
    .filter(
      ({ gone, updatedAt, listedAt }) => gone === undefined && updatedAt >= since && listedAt <= state.now(),
    )
    .filter((issue) => wanted === 'all' || issue.state === wanted)
    .filter(({ merged }) => query.get('type') !== 'issues' || merged === undefined)
    .filter(({ user }) => (query.get('created_by') ?? user).toLowerCase() === user.toLowerCase())
    .sort((one, other) => other.createdAt - one.createdAt || other.number - one.number);
  const asked = pagesOf(target);
  const headers = { ...nextPage(all, asked, url), 'x-total-count': String(all.length) };
  return { status: 200, body: entriesOf(all, asked).map((issue) => shown(target, issue)), headers };
}

function createIssue(target: Target): Answer {
  const { state, name, token, body, options } = target;
  if (options.repositories[name]?.issuesDisabled)
    return refuse(403, 'user should have specific read permission or be a repo admin or a site admin');
  const writes = token.writes !== false;
  const assignees = writes && Array.isArray(body.assignees) ? body.assignees.map(String) : [];
  const foreign = assignees.find((login) => !assignable(target).includes(login));
  if (foreign !== undefined)
    return refuse(422, `Assignee does not exist: [name: user does not exist [uid: 0, name: ${foreign}]]`);
  const labels = writes ? [...labelNames(target, body.labels)].sort() : [];
  const { title, body: text = '' } = body;
  const issue = state.add({
    ...{ repository: name, title: String(title), body: String(text), labels, assignees },
    user: token.user,
  });
  return { status: 201, body: shown(target, issue) };
}

/** Unknown ids are dropped without a word. */
function labelNames({ state, name }: Target, ids: unknown): readonly string[] {
  const wanted = Array.isArray(ids) ? ids : [];
  return state.labels
    .filter((label) => isOf(label, name) && wanted.includes(label.id))
    .map((label) => label.name);
}

/** Of the repository, or of its organisation. */
const isOf = ({ repository }: StoredLabel, name: string) =>
  repository === name || repository === name.split('/')[0];

function assignable({ options, name }: Target): readonly string[] {
  const users = Object.values(options.tokens).filter(({ writes }) => writes !== false);
  return [...new Set([...users.map(({ user }) => user), ...(options.repositories[name]?.assignable ?? [])])];
}

function issueOf({ state, name, params }: Target): StoredIssue | null {
  return state.issue(name, Number(params.index));
}

function shown({ state, name, base }: Target, issue: StoredIssue): object {
  return shownIssue(
    issue,
    state.labels.filter((label) => isOf(label, name)),
    base,
  );
}

const pagesOf = ({ url, options: { pageSize = 50 } }: Pick<Target, 'url' | 'options'>) =>
  pageIn(url.searchParams, 'limit', 30, pageSize);
