import { Git } from '../shared/git.js';
import { type MayFetch, movedTo, servesGit } from '../shared/git-http.js';
import {
  type Answer,
  type SeenRequest as BaseSeenRequest,
  type DoubleRequest,
  DoubleServer,
  type OpenedRequest,
  type RunningDouble,
} from '../shared/server.js';
import { type IssueControls, issueControls } from '../shared/state.js';
import { asApp, inWordsOfApps } from './apps.js';
import { brokenAnswer } from './faults.js';
import { questions, sizeProblem } from './graphql/document.js';
import { runGraphql } from './graphql/execute.js';
import { Limits } from './limits.js';
import { checkAnswer, checkRequest } from './openapi.js';
import type { DoubleApp, DoubleOptions, DoubleToken } from './options.js';
import { page } from './pages.js';
import { allows, limited, refuse, type World } from './rest/request.js';
import { rest } from './rest/routes.js';
import { zulu } from './rest/shapes.js';
import { type Merge, State, type StateReason, type StoredComment, type StoredIssue } from './state.js';
import { actionOf, referencesTo, sendIssueEvent } from './webhook.js';

export interface SeenRequest extends BaseSeenRequest {
  /** The token's user; `app` for an App's own JWT. */
  user: string | null;
  /** `X-GitHub-Api-Version` of the request; `null` without one. */
  readonly version: string | null;
}

export interface GithubDouble
  extends RunningDouble<SeenRequest>,
    IssueControls<StoredIssue, Parameters<State['add']>[0]> {
  readonly graphqlUrl: string;
  /** The issues of the same repository that GitHub would show in the timeline of an issue or pull request. */
  references(repository: string, number: number): readonly StoredIssue[];
  /** `commit`: its message closed the issue. */
  closeIssue(repository: string, number: number, reason?: StateReason, commit?: string): void;
  /** Returns the pull request. */
  merge(merge: Merge): StoredIssue;
  /** Somebody changes the issue on its page. */
  editIssue(
    repository: string,
    number: number,
    by: string,
    edit: { readonly title?: string; readonly body?: string },
  ): void;
  /** Of one issue, oldest first. */
  comments(repository: string, number: number): readonly StoredComment[];
  transferIssue(repository: string, number: number, to: string): void;
}

/** Starts a GitHub on loopback. */
export async function startGithubDouble(given: DoubleOptions): Promise<GithubDouble> {
  const server = new DoubleServer<DoubleOptions, SeenRequest>(given);
  const { options, clock } = server;
  const state = new State(options, clock);
  const world: World = {
    ...{ options, state, limits: new Limits(options, clock) },
    git: (name) => new Git(options.repositories[name]?.git ?? '/nonexistent', zulu),
  };
  state.changed = (issue, change) => {
    const action = change && actionOf(change);
    if (options.webhook && action) sendIssueEvent(options.webhook, action, issue, server.base);
  };
  const double = await server.start({
    ...{ state, types: { json: 'application/json; charset=utf-8', text: 'text/html; charset=utf-8' } },
    ...{ refuse, tokenOf: (user) => ({ user, permissions: {} }) },
    endpoints: {
      'POST /apps': ({ id, ...app }) => {
        options.apps = { ...options.apps, [String(id)]: app as unknown as DoubleApp };
      },
    },
    streams: (url, incoming, outgoing) => servesGit(gitOf(world), url, incoming, outgoing),
    pathOf: (pathname) => pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/api\/graphql$/, '/graphql'),
    async page(request) {
      const { method, url, headers } = request;
      const shown = method === 'GET' && !tokenOf(world, headers) ? await page(world, url.pathname) : null;
      if (shown === null) return null;
      server.requests.push(seenOf(request, null, null));
      return { status: 200, body: shown };
    },
    open: (request) => open(world, server.bugs, request),
    broken(fault, answer, { headers }) {
      if (fault.kind === 'expired-token') expire(world, headers);
      return brokenAnswer(fault, answer);
    },
  });
  const change = (repository: string, number: number, changes: Partial<StoredIssue>) =>
    state.change(state.known(repository, number), changes);
  const { url } = double;
  return {
    ...double,
    ...issueControls(state),
    url: options.enterprise ? `${url}/api/v3` : url,
    graphqlUrl: options.enterprise ? `${url}/api/graphql` : `${url}/graphql`,
    references: (repository, number) => referencesTo(state.of(repository), repository, number, url),
    closeIssue: (repository, number, stateReason = 'completed', commit) =>
      change(repository, number, {
        ...{ state: 'closed', stateReason },
        ...(commit === undefined ? {} : { closer: commit }),
      }),
    merge: (merge) => state.merge(merge),
    reopenIssue: (repository, number) =>
      change(repository, number, { state: 'open', stateReason: 'reopened' }),
    editIssue: (repository, number, by, edit) => {
      const now = { at: clock.now(), by };
      change(repository, number, {
        ...edit,
        ...(edit.body === undefined ? {} : { edited: now }),
        ...(edit.title === undefined ? {} : { renamed: now }),
      });
    },
    comments: (repository, number) => state.commentsOf({ repository, number }),
    transferIssue: (repository, number, to) => state.transfer(repository, number, to),
  };
}

function seenOf(
  { method, path, headers }: DoubleRequest,
  route: string | null,
  token: DoubleToken | null,
): SeenRequest {
  const version = headers['x-github-api-version'];
  return {
    ...{ method, path, route, user: token?.user ?? null, status: null },
    version: typeof version === 'string' ? version : null,
  };
}

function open(world: World, bugs: string[], request: DoubleRequest): OpenedRequest<SeenRequest> {
  const { path, headers } = request;
  const token = tokenOf(world, headers);
  const { route, params, problems, body } = checked(request);
  const seen = seenOf(request, route, token);
  const api = path === '/graphql' ? 'graphql' : 'rest';
  const program: Readonly<Record<string, string>> = world.options.enterprise
    ? { 'x-github-enterprise-version': 'enterprise-server@3.17.2' }
    : {};
  return {
    ...{ seen, problems },
    async answer() {
      const app = asApp(world, request);
      if (app !== null) seen.user = 'app';
      if (app !== null) return possible(bugs, app);
      if (token === null) return refuse(401, 'Bad credentials');
      const over = world.limits.take(token.user, api, request.method);
      if (over) return limited(over, api === 'graphql');
      if (body === undefined) return refuse(400, 'Problems parsing JSON');
      const answer =
        api === 'rest'
          ? possible(
              bugs,
              await rest(world, { ...request, query: request.url.searchParams, body, token, route, params }),
            )
          : await answerGraphql(world, token, request, body);
      return token.app ? inWordsOfApps(answer) : answer;
    },
    headers: () => ({
      ...program,
      ...expiryOf(token),
      date: new Date(world.state.now()).toUTCString(),
      ...world.limits.headers(token?.user ?? null, api),
    }),
  };
}

/** Compares a request with GitHub's schema or description, whatever its answer. `body` is `undefined` if it is not JSON. */
function checked({ method, url, path, text }: DoubleRequest) {
  let body: unknown = null;
  try {
    if (text !== '') body = JSON.parse(text);
  } catch {
    const problems = [`${method} ${path}: the body is not JSON`];
    return { route: null, params: {}, problems, body: undefined };
  }
  const found = path === '/graphql' ? checkQuestion(body) : checkRequest(method, url, path, body);
  return { ...found, body };
}

async function answerGraphql(
  world: World,
  token: DoubleToken,
  { method, base }: DoubleRequest,
  question: unknown,
): Promise<Answer> {
  if (method !== 'POST') return refuse(404, 'Not Found');
  return { status: 200, body: await runGraphql(world, token, base, question) };
}

function checkQuestion(body: unknown) {
  const { document, route, problems } = questions.read(body);
  const size = document && sizeProblem(document);
  return {
    route,
    params: {},
    problems: size ? [...problems, `${route ?? 'GraphQL'}: ${size.message}`] : problems,
  };
}

/** An answer that GitHub could not give is a bug of the double. */
function possible(
  bugs: string[],
  { route, answer }: { readonly route: string; readonly answer: Answer },
): Answer {
  if (route === '' || answer.type !== undefined) return answer;
  try {
    checkAnswer(route, answer.status, answer.body);
    return answer;
  } catch (error) {
    bugs.push(String(error));
    return refuse(500, String(error));
  }
}

/** Who may fetch by git: the token of a user or an App is the password. */
function gitOf({ options, state }: World): MayFetch {
  return (name, key) => {
    const token = known(options, state, key ?? '');
    if (token === null)
      return {
        status: 401,
        text: 'Bad credentials',
        headers: { 'www-authenticate': 'Basic realm="GitHub"' },
      };
    const repository = options.repositories[name];
    if (repository === undefined || (token.repositories && !token.repositories.includes(name)))
      return { status: 404, text: 'Repository not found.' };
    if (repository.renamedTo !== undefined) return movedTo(301, repository.renamedTo);
    if (!allows(token, 'contents', 'read'))
      return { status: 403, text: 'Write access to repository not granted.' };
    return { git: repository.git };
  };
}

type Headers = Pick<DoubleRequest['headers'], 'authorization'>;

function keyIn({ authorization = '' }: Headers): string {
  return /^(?:token|bearer) (.+)$/i.exec(authorization)?.[1] ?? '';
}

/** The token of a request; `null` if it is unknown or expired. */
function tokenOf({ options, state }: World, headers: Headers): DoubleToken | null {
  return known(options, state, keyIn(headers));
}

function known(options: World['options'], state: State, key: string): DoubleToken | null {
  const token = Object.hasOwn(options.tokens, key) ? options.tokens[key] : undefined;
  return !token || (token.expiresAt ?? Number.POSITIVE_INFINITY) <= state.now() ? null : token;
}

/** `2022-08-14 08:15:54 UTC`, for personal tokens that expire. */
function expiryOf(token: DoubleToken | null): Readonly<Record<string, string>> {
  if (token?.expiresAt === undefined || token.app) return {};
  const text = new Date(token.expiresAt).toISOString().slice(0, 19).replace('T', ' ');
  return { 'github-authentication-token-expiration': `${text} UTC` };
}

/** The token of this request expires, also for all others. */
function expire({ options: { tokens }, state }: World, headers: Headers): void {
  const key = keyIn(headers);
  const token = tokens[key];
  if (token) tokens[key] = { ...token, expiresAt: state.now() };
}
