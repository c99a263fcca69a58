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
import { knownToken, lacksScope, refuse, sendIssueEvent, visible } from './answer.js';
import { OPERATIONS } from './description.js';
import type { DoubleOptions, LiveOptions } from './options.js';
import { rest } from './rest.js';
import { type NewIssue, State, type StoredComment, type StoredIssue } from './state.js';

export interface ForgejoDouble extends RunningDouble, IssueControls<StoredIssue, NewIssue> {
  /** Names of the labels of a repository, or of an organisation alone. */
  labels(repository: string): readonly string[];
  comments(issue: StoredIssue): readonly StoredComment[];
  /** A pull request that this commit merged; sends its event. */
  merge(pull: {
    readonly repository: string;
    readonly title: string;
    readonly body: string;
    readonly commit: string;
  }): StoredIssue;
  deleteLabel(repository: string, name: string): void;
}

/** Starts a Forgejo on loopback. */
export async function startForgejoDouble(given: DoubleOptions): Promise<ForgejoDouble> {
  const server = new DoubleServer<DoubleOptions, SeenRequest>(given);
  const { options, clock } = server;
  const state = new State(options, clock);
  state.changed = (issue, change) => {
    const action = change?.state === 'open' ? 'reopened' : change?.state;
    if (options.webhook && action)
      sendIssueEvent(options.webhook, options.program, { issue, action, base: server.base });
  };
  const double = await server.start({
    ...{ state, refuse, tokenOf: (user) => ({ user, scopes: [] }) },
    types: { json: 'application/json;charset=utf-8', text: 'text/html; charset=utf-8' },
    streams(url, incoming, outgoing) {
      if (!url.pathname.includes('.git/')) return false;
      const { method = 'GET' } = incoming;
      server.requests.push({ method, path: url.pathname, route: 'git', status: null });
      return servesGit(gitOf(options), url, incoming, outgoing);
    },
    // A web page, which tells the server's time.
    page: ({ method, path }) => (method === 'HEAD' && path === '/' ? { status: 200, body: '' } : null),
    open: (request) => open(server, state, request),
    broken,
  });
  return {
    ...double,
    ...issueControls(state),
    labels: (repository) =>
      state.labels.filter((label) => label.repository === repository).map(({ name }) => name),
    comments: (issue) => state.commentsOf(issue),
    merge: ({ commit, ...pull }) => {
      const merged = state.add({ ...pull, labels: [], assignees: [], user: 'dev', merged: commit });
      state.changed(merged, { state: 'closed' });
      return merged;
    },
    deleteLabel: (repository, name) => state.removeLabel(repository, name),
  };
}

function open(
  { options, clock }: DoubleServer<DoubleOptions, SeenRequest>,
  state: State,
  request: DoubleRequest,
): OpenedRequest<SeenRequest> {
  const { method, path, url, text, headers, base } = request;
  const body: unknown = text === '' ? null : JSON.parse(text);
  const matched = operationOf(OPERATIONS, method, path.replace(/^\/api\/v1(?=\/)/, ''));
  return {
    seen: { method, path, route: matched?.operation.id ?? null, status: null },
    problems:
      matched === null
        ? [`${method} ${path} is not used`]
        : problemsOf(matched.operation.id, matched.operation, url.searchParams, body),
    answer() {
      if (matched === null) return refuse(404, 'Not Found');
      const [, key = ''] = /^(?:token|Bearer) (\S+)$/.exec(headers.authorization ?? '') ?? [];
      const token = knownToken(options, key, clock.now());
      if (token === null) return refuse(401, 'user does not exist [uid: 0, name: ]');
      return rest(options, state, { ...matched, method, url, body: Object(body), token, base });
    },
  };
}

/** Who may fetch by git. */
function gitOf(options: LiveOptions): MayFetch {
  return (name, key) => {
    const token = knownToken(options, key ?? '', Date.now());
    if (token === null)
      return { status: 401, text: 'Unauthorized', headers: { 'www-authenticate': 'Basic realm="Gitea"' } };
    const known = visible(options, token, name);
    if (known === null) return { status: 404, text: 'Repository not found' };
    if (lacksScope(token, 'GET', 'repository') !== null) return { status: 403, text: 'Forbidden' };
    const { git = '/nonexistent', renamedTo } = options.repositories[known] ?? {};
    return renamedTo === undefined ? { git } : movedTo(307, renamedTo);
  };
}

/** 429 is a proxy's. */
function broken(fault: Fault): Answer | null {
  const { kind, status = 500, message = '' } = fault;
  if (kind === 'garbage') return { status: 200, body: '<html>' };
  return kind === 'status' ? { ...refuse(status, message), headers: retryHeaders(fault) } : null;
}
