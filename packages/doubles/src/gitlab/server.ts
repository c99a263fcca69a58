import type { DoubleClock } from '../shared/clock.js';
import { operationOf, problemsOf } from '../shared/description.js';
import { type MayFetch, movedTo, servesGit } from '../shared/git-http.js';
import type { Fault } from '../shared/rules.js';
import {
  type Answer,
  type DoubleRequest,
  DoubleServer,
  type OpenedRequest,
  type RunningDouble,
  retryHeaders,
  type SeenRequest,
} from '../shared/server.js';
import { type IssueControls, issueControls } from '../shared/state.js';
import { levelOf, notFound, refuse } from './answer.js';
import { ROUTES } from './description.js';
import { sendIssueEvent, sendMergeEvent } from './events.js';
import { answerQuestion, questions } from './graphql.js';
import type { DoubleLimits, DoubleMergeRequest, DoubleOptions, DoubleToken, LiveOptions } from './options.js';
import { CODE, rest } from './rest.js';
import { type NewIssue, State, type StoredIssue, type StoredNote } from './state.js';

export interface GitlabDouble extends RunningDouble, IssueControls<StoredIssue, NewIssue> {
  notes(issue: StoredIssue): readonly StoredNote[];
  /** Closes it as a duplicate of another issue of the project. */
  closeAsDuplicate(project: string, number: number, of: number): void;
  moveIssue(project: string, number: number, to: string): void;
  /** A merge request that closes issues of its project; sends its event. */
  merge(project: string, request: DoubleMergeRequest, description: string): void;
}

/** Starts a GitLab on loopback. */
export async function startGitlabDouble(given: DoubleOptions): Promise<GitlabDouble> {
  const server = new DoubleServer<DoubleOptions, SeenRequest>(given);
  const { options, clock } = server;
  const state = new State(options, clock);
  const limits = new Limits(options, clock);
  state.changed = (issue, change) => {
    const action = actionOf(change);
    if (options.webhook && action) sendIssueEvent(options.webhook, issue, action, server.base);
  };
  const double = await server.start({
    ...{ state, refuse, types: { json: 'application/json', text: 'text/plain' } },
    tokenOf: (user) => ({ user, scopes: [] }),
    streams: (url, incoming, outgoing) => servesGit(gitOf(options, state), url, incoming, outgoing),
    page: ({ path }) => (path.startsWith('/api/') ? null : { status: 200, body: 'GitLab' }),
    open: (request) => open({ options, state, limits }, request),
    broken,
  });
  return {
    ...double,
    ...issueControls(state),
    notes: (of) => state.commentsOf(of),
    closeAsDuplicate: (project, number, of) =>
      state.change(state.known(project, number), { state: 'closed', duplicateOf: of }),
    moveIssue: (project, number, to) => state.transfer(project, number, to),
    merge: (project, request, description) => {
      const known = options.repositories[project];
      if (known === undefined) throw new Error(`there is no ${project}`);
      const mergeRequests = [...(known.mergeRequests ?? []), request];
      options.repositories[project] = { ...known, mergeRequests };
      for (const number of request.closes ?? []) state.setState(state.known(project, number), 'closed');
      if (options.webhook) sendMergeEvent(options.webhook, project, request, description);
    },
  };
}

/** GitLab's name of a change; `null`: the double sends no event of it. */
function actionOf(change: Partial<StoredIssue> | null): string | null {
  if (change === null) return 'open';
  return change.state === undefined ? null : change.state === 'closed' ? 'close' : 'reopen';
}

interface Parts {
  readonly options: LiveOptions;
  readonly state: State;
  readonly limits: Limits;
}

function open({ options, state, limits }: Parts, request: DoubleRequest): OpenedRequest<SeenRequest> {
  const { method, path, url, text, headers, base } = request;
  const body: unknown = text === '' ? null : JSON.parse(text);
  const question = method === 'POST' && path === '/api/graphql' ? questions.read(body) : null;
  const matched = operationOf(ROUTES, method, path.replace(/^\/api\/v4(?=\/)/, ''));
  return {
    seen: { method, path, route: question?.route ?? matched?.route ?? null, status: null },
    problems:
      question?.problems ??
      (matched
        ? problemsOf(matched.route, matched.operation, url.searchParams, body)
        : [`${method} ${path} is not described`]),
    answer() {
      const token = tokenOf(options, headers, state.now());
      if ('status' in token) return token;
      const over = limits.request(token.user);
      if (over !== null) return over;
      if (question !== null) return answerQuestion(question, state, token);
      if (matched === null) return notFound('');
      const creates = matched.route === 'POST /projects/{id}/issues';
      const many = creates ? limits.creation(token.user, matched.params.id ?? '') : null;
      return many ?? rest(options, state, { ...matched, method, url, body: Object(body), token, base });
    },
  };
}

/** Who may fetch by git: a token of any kind is the password. */
function gitOf(options: LiveOptions, state: State): MayFetch {
  return (name, key) => {
    const token = tokenOf(options, { authorization: `Bearer ${key ?? ''}` }, state.now());
    if ('status' in token || !token.scopes.some((scope) => scope === 'api' || scope === 'read_repository'))
      return {
        ...{ status: 401, text: 'HTTP Basic: Access denied.' },
        headers: { 'www-authenticate': 'Basic realm="GitLab"' },
      };
    const repository = options.repositories[name];
    if (repository === undefined || (token.projects && !token.projects.includes(name)))
      return { status: 404, text: 'The project you were looking for could not be found.' };
    if (repository.renamedTo !== undefined) return movedTo(301, repository.renamedTo);
    if (levelOf(token) < CODE)
      return { status: 403, text: 'You are not allowed to download code from this project.' };
    return { git: repository.git };
  };
}

/** The token of a request, or why there is none. */
function tokenOf(
  { tokens }: LiveOptions,
  headers: DoubleRequest['headers'],
  now: number,
): DoubleToken | Answer {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  const token = tokens[bearer ?? String(headers['private-token'] ?? '')];
  const misplaced = bearer === undefined && token?.oauth === true;
  const invalid = (error_description: string) => ({
    status: 401,
    body: { error: 'invalid_token', error_description },
  });
  if (token === undefined || misplaced) return refuse(401, '401 Unauthorized');
  if (token.revoked) return invalid('Token was revoked. You have to re-authorize from the user.');
  if (token.expiresAt !== undefined && token.expiresAt <= now)
    return invalid('Token is expired. You can either do re-authorization or token refresh.');
  return token;
}

/** GitLab's words beside a status. */
const WORDS: Readonly<Record<number, string>> = {
  401: '401 Unauthorized',
  403: '403 Forbidden',
  500: '500 Internal Server Error',
};

function broken(fault: Fault): Answer | null {
  const { kind, status = 500, message } = fault;
  if (kind === 'garbage') return { status: 200, body: '<html>' };
  if (kind !== 'status') return null;
  const headers = retryHeaders(fault);
  if (status === 429) return { status, headers, body: 'Retry later\n' };
  if (status === 502 || status === 503)
    return { status, headers, body: '<html>GitLab is not responding</html>' };
  return { ...refuse(status, message ?? WORDS[status] ?? `${status}`), headers };
}

/** GitLab.com's (docs: user/gitlab_com, "Rate limits on GitLab.com"). */
const GITLAB_COM: DoubleLimits = { requestsPerMinute: 2_000, issuesPerMinute: 200 };
const MINUTE = 60_000;

/** Counts each user's requests in minutes of the clock, as GitLab does. */
class Limits {
  private readonly limits: DoubleLimits | null;
  private readonly counts = new Map<string, number>();

  constructor(
    { limits = {} }: Pick<LiveOptions, 'limits'>,
    private readonly clock: DoubleClock,
  ) {
    this.limits = limits === false ? null : { ...GITLAB_COM, ...limits };
  }

  /** Counts a request; the refusal if it is one too many. */
  request(user: string): Answer | null {
    if (this.limits === null) return null;
    const left = this.limits.requestsPerMinute - this.count(user);
    if (left >= 0) return null;
    const reset = this.reset();
    const headers = {
      'retry-after': String(Math.max(1, Math.ceil((reset - this.clock.now()) / 1_000))),
      'ratelimit-limit': String(this.limits.requestsPerMinute),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil(reset / 1_000)),
    };
    return { status: 429, headers, body: 'Retry later\n' };
  }

  /** Counts a creation in a project; the refusal tells no time. */
  creation(user: string, project: string): Answer | null {
    if (this.limits === null || this.count(`${user} ${project}`) <= this.limits.issuesPerMinute) return null;
    const error = 'This endpoint has been requested too many times. Try again later.';
    return { status: 429, body: { message: { error } } };
  }

  private reset(): number {
    return (Math.floor(this.clock.now() / MINUTE) + 1) * MINUTE;
  }

  private count(key: string): number {
    const slot = `${key} ${this.reset()}`;
    const count = (this.counts.get(slot) ?? 0) + 1;
    this.counts.set(slot, count);
    return count;
  }
}
