import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { asApp, inWordsOfApps } from './apps.js';
import { checkedRequest, NO_ROUTE } from './checked-request.js';
import { DoubleClock } from './clock.js';
import { type ControlParts, control, type LiveOptions } from './control.js';
import { brokenAnswer, Faults, takesEffect, withPartialData } from './faults.js';
import { Git } from './git.js';
import { runGraphql } from './graphql/execute.js';
import { Holds } from './holds.js';
import { Limits } from './limits.js';
import { closeServer, listen, originOf, portOf } from './loopback.js';
import { checkAnswer } from './openapi.js';
import type { DoubleOptions, DoubleToken, Fault, Hold } from './options.js';
import { page } from './pages.js';
import { readBody } from './read-body.js';
import { referencesTo } from './references.js';
import { type Answer, limited, refuse, type World } from './rest/request.js';
import { rest } from './rest/routes.js';
import { type Merge, State, type StateReason, type StoredComment, type StoredIssue } from './state.js';
import { expire, expiryOf, tokenOf } from './tokens.js';
import { actionOf, sendIssueEvent } from './webhook.js';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** GitHub's name of the REST route, or `query NAME`; `null` if there is none. */
  readonly route: string | null;
  /** The token's user; `app` for an App's own JWT. */
  user: string | null;
  /** `X-GitHub-Api-Version` of the request; `null` without one. */
  readonly version: string | null;
  /** Status of the response; `null` before it is sent, and permanently if the connection was cut. */
  status: number | null;
}

export interface GithubDouble {
  /** REST base URL, for `apiUrl`. */
  readonly url: string;
  readonly graphqlUrl: string;
  readonly port: number;
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Responses of the double that violate GitHub's description; must stay empty. */
  readonly bugs: readonly string[];
  /** What in requests violates GitHub's description or schema. `close` rejects if there are any, or bugs. */
  readonly violations: string[];
  issues(repository: string): readonly StoredIssue[];
  /** The issues of the same repository that GitHub would show in the timeline of an issue or pull request. */
  references(repository: string, number: number): readonly StoredIssue[];
  addIssue(issue: Parameters<State['add']>[0]): StoredIssue;
  /** `commit`: its message closed the issue. */
  closeIssue(repository: string, number: number, reason?: StateReason, commit?: string): void;
  /** Returns the pull request. */
  merge(merge: Merge): StoredIssue;
  reopenIssue(repository: string, number: number): void;
  deleteIssue(repository: string, number: number): void;
  /** Somebody changes the issue on its page. */
  editIssue(
    repository: string,
    number: number,
    by: string,
    edit: { readonly title?: string; readonly body?: string },
  ): void;
  /** Only those with push access may comment. */
  lockIssue(repository: string, number: number): void;
  /** Of one issue, oldest first. */
  comments(repository: string, number: number): readonly StoredComment[];
  transferIssue(repository: string, number: number, to: string): void;
  fault(fault: Fault): void;
  clearFaults(): void;
  hold(hold: Hold): void;
  /** Releases held requests. */
  release(): number;
  /** Advances the double's time. */
  advance(ms: number): void;
  /** Sends events from now on. */
  sendEvents(webhook: NonNullable<DoubleOptions['webhook']>): void;
  close(): Promise<void>;
}

/** Starts a GitHub on loopback. */
export async function startGithubDouble(given: DoubleOptions): Promise<GithubDouble> {
  const options: LiveOptions = {
    ...given,
    repositories: { ...given.repositories },
    tokens: { ...given.tokens },
  };
  const clock = new DoubleClock(given.now, given.timeScale, given.timeOrigin);
  const state = new State(options, clock);
  const world: World = {
    options,
    state,
    limits: new Limits(options, clock),
    git: (name) => new Git(pathOf(options, name)),
  };
  const faults = new Faults();
  const holds = new Holds();
  const requests: SeenRequest[] = [];
  const bugs: string[] = [];
  const violations: string[] = [];
  const parts = { options, state, clock, faults, holds, requests, bugs, violations, world };
  const server = createServer((incoming, outgoing) => {
    serve({ ...parts, base: origin(), incoming, outgoing }).catch((error) => {
      if (incoming.destroyed && !incoming.complete) return;
      bugs.push(String(error));
      if (!outgoing.headersSent) send(outgoing, { status: 500, body: { message: String(error) } }, {});
    });
  });
  const origin = () => originOf(server);
  state.changed = (issue, change) => {
    const action = actionOf(change);
    if (options.webhook && action !== null) sendIssueEvent(options.webhook, action, issue, origin());
  };
  await listen(server, options.port);
  return {
    url: options.enterprise ? `${origin()}/api/v3` : origin(),
    graphqlUrl: options.enterprise ? `${origin()}/api/graphql` : `${origin()}/graphql`,
    port: portOf(server),
    requests,
    bugs,
    violations,
    issues: (repository) => state.of(repository),
    references: (repository, number) => referencesTo(state.of(repository), repository, number, origin()),
    addIssue: (issue) => state.add(issue),
    closeIssue: (repository, number, stateReason = 'completed', commit) =>
      state.change(repository, number, {
        ...{ state: 'closed', stateReason },
        ...(commit === undefined ? {} : { closer: commit }),
      }),
    merge: (merge) => state.merge(merge),
    reopenIssue: (repository, number) =>
      state.change(repository, number, { state: 'open', stateReason: 'reopened' }),
    editIssue: (repository, number, by, edit) => {
      const now = { at: clock.now(), by };
      state.change(repository, number, {
        ...edit,
        ...(edit.body === undefined ? {} : { edited: now }),
        ...(edit.title === undefined ? {} : { renamed: now }),
      });
    },
    deleteIssue: (repository, number) => state.change(repository, number, { gone: 'deleted' }),
    lockIssue: (repository, number) => state.change(repository, number, { locked: true }),
    comments: (repository, number) =>
      state.comments.filter((one) => one.repository === repository && one.number === number),
    transferIssue: (repository, number, to) => state.transfer(repository, number, to),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    hold: (hold) => holds.add(hold),
    release: () => holds.release(),
    advance: (ms) => clock.advance(ms),
    sendEvents: (webhook) => {
      options.webhook = webhook;
    },
    close: () => closeServer(server, parts),
  };
}

function pathOf({ repositories }: LiveOptions, name: string): string {
  const known = Object.keys(repositories).find((key) => key.toLowerCase() === name.toLowerCase());
  return (known === undefined ? undefined : repositories[known]?.git) ?? '/nonexistent';
}

interface Exchange extends ControlParts {
  readonly world: World;
  readonly requests: SeenRequest[];
  readonly bugs: string[];
  readonly violations: string[];
  readonly base: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

async function serve(exchange: Exchange): Promise<void> {
  const { world, faults, holds, requests, incoming, outgoing, base, clock } = exchange;
  const url = new URL(incoming.url ?? '/', base);
  const method = incoming.method ?? 'GET';
  const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/api\/graphql$/, '/graphql');
  const body = await readBody(incoming);
  if (path.startsWith('/__double/')) {
    const asked = { method, path: url.pathname, body, origin: incoming.headers.origin };
    return send(outgoing, await control(exchange, asked), {});
  }
  const token = tokenOf(world, incoming.headers.authorization);
  const version = incoming.headers['x-github-api-version'];
  const shown = token === null && method === 'GET' ? await page(world, url.pathname) : null;
  const { route, problems } = shown === null ? checkedRequest(method, url, path, body) : NO_ROUTE;
  exchange.violations.push(...problems);
  const seen: SeenRequest = {
    method,
    path,
    route,
    user: token?.user ?? null,
    version: typeof version === 'string' ? version : null,
    status: null,
  };
  requests.push(seen);
  if (shown !== null)
    return send(outgoing, { status: 200, body: shown, type: 'text/html; charset=utf-8' }, {});
  await holds.pass({ method, path, when: 'before' });
  const fault = faults.take(method, path);
  const broken = fault !== null && !takesEffect(fault);
  if (fault?.kind === 'slow') await clock.wait(fault.ms ?? 1_000);
  if (fault?.kind === 'expired-token') expire(exchange, incoming.headers.authorization);
  let answer: Answer | null = broken ? null : appAnswer(exchange, method, path);
  if (answer !== null) seen.user = 'app';
  else if (!broken && token === null) answer = refuse(401, 'Bad credentials');
  else if (!broken && token !== null) {
    answer = await ask(exchange, { method, path, url, body, token });
    if (token.app) answer = inWordsOfApps(answer);
  }
  await holds.pass({ method, path, when: 'after' });
  if (fault?.kind === 'graphql-partial') answer = answer && withPartialData(answer);
  else if (fault && fault.kind !== 'slow') answer = brokenAnswer(fault);
  if (fault?.kind === 'hang' || fault?.kind === 'hang-after') return;
  if (answer === null) {
    incoming.socket.resetAndDestroy();
    return;
  }
  seen.status = answer.status;
  const limits = world.limits.headers(token?.user ?? null, path === '/graphql' ? 'graphql' : 'rest');
  const expiry = expiryOf(token);
  const program: Record<string, string> = world.options.enterprise
    ? { 'x-github-enterprise-version': 'enterprise-server@3.17.2' }
    : {};
  send(outgoing, answer, { ...program, ...expiry, date: new Date(clock.now()).toUTCString(), ...limits });
}

async function ask(
  { world, bugs, base, incoming }: Exchange,
  asked: {
    readonly method: string;
    readonly path: string;
    readonly url: URL;
    readonly body: string;
    readonly token: DoubleToken;
  },
): Promise<Answer> {
  const { method, path, url, token } = asked;
  const over = world.limits.take(token.user, path === '/graphql' ? 'graphql' : 'rest', method);
  if (over) return limited(over, path === '/graphql');
  let body: unknown = null;
  if (asked.body !== '') {
    try {
      body = JSON.parse(asked.body);
    } catch {
      return refuse(400, 'Problems parsing JSON');
    }
  }
  if (path === '/graphql') {
    if (method !== 'POST') return refuse(404, 'Not Found');
    const question = (body ?? {}) as Record<string, unknown>;
    return { status: 200, body: await runGraphql(world, token, base, question) };
  }
  const headers = incoming.headers as Record<string, string>;
  const request = { method, path, query: url.searchParams, headers, body, token, base };
  return checked(bugs, await rest(world, request));
}

/** An answer that GitHub could not give is a bug of the double. */
function checked(
  bugs: string[],
  { route, answer }: { readonly route: string; readonly answer: Answer },
): Answer {
  if (route === '' || answer.type !== undefined) return answer;
  try {
    checkAnswer(route, answer.status, answer.body);
    return answer;
  } catch (error) {
    bugs.push(String(error));
    return { status: 500, body: { message: String(error) } };
  }
}

function appAnswer(
  { world, options, bugs, base, incoming }: Exchange,
  method: string,
  path: string,
): Answer | null {
  const { authorization } = incoming.headers;
  const found = asApp(world, options, { method, path, authorization, base });
  return found === null ? null : checked(bugs, found);
}

function send(outgoing: ServerResponse, answer: Answer, limits: Record<string, string>): void {
  const json = answer.body === null ? '' : JSON.stringify(answer.body);
  const text = answer.type === undefined ? json : String(answer.body);
  const type = answer.type ?? 'application/json; charset=utf-8';
  outgoing.writeHead(answer.status, { 'content-type': type, ...limits, ...answer.headers });
  outgoing.end(text);
}
