import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  closeServer,
  DoubleClock,
  type Fault,
  Faults,
  type Hold,
  Holds,
  listen,
  originOf,
  readBody,
  takesEffect,
} from '../github/index.js';
import { type Answer, notFound, refuse } from './answer.js';
import { type ControlParts, control } from './control.js';
import { problemsOf, routeOf } from './description.js';
import { sendIssueEvent, sendMergeEvent } from './events.js';
import { answerQuestion, type Question, readQuestion } from './graphql.js';
import { Limits } from './limits.js';
import type { DoubleMergeRequest, DoubleOptions, DoubleToken, LiveOptions, Webhook } from './options.js';
import { rest } from './rest.js';
import { type NewIssue, State, type StoredIssue, type StoredNote } from './state.js';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** As in the description, or `query NAME`; `null` if there is no such route. */
  readonly route: string | null;
}

export interface GitlabDouble {
  /** Base address, for `url` of the connector. */
  readonly url: string;
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** What in requests violates the description. `close` rejects if there is anything. */
  readonly violations: string[];
  issues(project: string): readonly StoredIssue[];
  notes(issue: StoredIssue): readonly StoredNote[];
  addIssue(issue: NewIssue): StoredIssue;
  closeIssue(project: string, number: number): void;
  reopenIssue(project: string, number: number): void;
  /** Closes it as a duplicate of another issue of the project. */
  closeAsDuplicate(project: string, number: number, of: number): void;
  deleteIssue(project: string, number: number): void;
  lockIssue(project: string, number: number): void;
  moveIssue(project: string, number: number, to: string): void;
  /** A merge request that closes issues of its project; sends its event. */
  merge(project: string, request: DoubleMergeRequest, description: string): void;
  fault(fault: Fault): void;
  hold(hold: Hold): void;
  release(): number;
  advance(ms: number): void;
  /** Sends events from now on. */
  sendEvents(webhook: Webhook): void;
  close(): Promise<void>;
}

interface Exchange extends ControlParts {
  readonly requests: SeenRequest[];
  readonly bugs: string[];
  readonly violations: string[];
  readonly limits: Limits;
  readonly base: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Starts a GitLab on loopback. */
export async function startGitlabDouble(given: DoubleOptions): Promise<GitlabDouble> {
  const { webhook, ...others } = given;
  const options: LiveOptions = {
    ...others,
    ...(webhook === undefined ? {} : { webhook }),
    repositories: { ...given.repositories },
    tokens: { ...given.tokens },
  };
  const clock = new DoubleClock(Date.now, given.timeScale, given.timeOrigin);
  const state = new State(options, clock);
  const [faults, holds, limits] = [new Faults(), new Holds(), new Limits(options, clock)];
  const [requests, bugs, violations]: [SeenRequest[], string[], string[]] = [[], [], []];
  const parts = { options, state, clock, faults, holds, limits, requests, bugs, violations };
  const server = createServer((incoming, outgoing) => {
    serve({ ...parts, base: base(), incoming, outgoing }).catch((error) => {
      if (incoming.destroyed && !incoming.complete) return;
      bugs.push(String(error));
      if (!outgoing.headersSent) send(outgoing, refuse(500, String(error)));
    });
  });
  const base = () => originOf(server);
  state.changed = (issue, action) => {
    if (options.webhook) sendIssueEvent(options.webhook, issue, action, base());
  };
  await listen(server, given.port);
  return { ...controls(parts), url: base(), close: () => closeServer(server, parts) };
}

type Parts = Pick<Exchange, 'options' | 'state' | 'clock' | 'faults' | 'holds' | 'requests' | 'violations'>;

function controls(parts: Parts): Omit<GitlabDouble, 'url' | 'close'> {
  const { options, state, faults, holds, clock, requests, violations } = parts;
  const issue = (project: string, number: number): StoredIssue => {
    const found = state.issue(project, number);
    if (found === null) throw new Error(`${project} has no issue ${number}`);
    return found;
  };
  return {
    requests,
    violations,
    issues: (project) => state.of(project),
    notes: ({ id }) => state.notes.filter((note) => note.issue === id),
    addIssue: (one) => state.add(one),
    closeIssue: (project, number) => state.setState(issue(project, number), 'closed'),
    reopenIssue: (project, number) => state.setState(issue(project, number), 'opened'),
    closeAsDuplicate: (project, number, of) => {
      issue(project, number).duplicateOf = of;
      state.setState(issue(project, number), 'closed');
    },
    deleteIssue: (project, number) => {
      issue(project, number).gone = 'deleted';
    },
    lockIssue: (project, number) => {
      issue(project, number).locked = true;
    },
    moveIssue: (project, number, to) => void state.move(issue(project, number), to),
    merge: (project, request, description) => {
      const known = options.repositories[project];
      if (known === undefined) throw new Error(`there is no ${project}`);
      const mergeRequests = [...(known.mergeRequests ?? []), request];
      options.repositories[project] = { ...known, mergeRequests };
      for (const number of request.closes ?? []) state.setState(issue(project, number), 'closed');
      if (options.webhook) sendMergeEvent(options.webhook, project, request, description);
    },
    fault: (fault) => faults.add(fault),
    hold: (hold) => holds.add(hold),
    release: () => holds.release(),
    advance: (ms) => clock.advance(ms),
    sendEvents: (to) => {
      options.webhook = to;
    },
  };
}

async function serve(exchange: Exchange): Promise<void> {
  const { incoming, outgoing, base, requests, holds, faults, clock, violations } = exchange;
  const url = new URL(incoming.url ?? '/', base);
  const [method, path] = [incoming.method ?? 'GET', url.pathname];
  const text = await readBody(incoming);
  if (path.startsWith('/__double/')) {
    const asked = { method, path, body: text, origin: incoming.headers.origin };
    return send(outgoing, await control(exchange, asked));
  }
  if (!path.startsWith('/api/')) return send(outgoing, { status: 200, body: 'GitLab' });
  const body = parsed(text);
  const question = method === 'POST' && path === '/api/graphql' ? readQuestion(body) : null;
  const matched = routeOf(method, path.replace(/^\/api\/v4(?=\/)/, ''));
  const route = question?.route ?? matched?.route ?? null;
  if (question) violations.push(...question.problems);
  else if (matched) violations.push(...problemsOf(matched.route, url.searchParams, body));
  else violations.push(`${method} ${path} is not described`);
  requests.push({ method, path, route });
  await holds.pass({ method, path, when: 'before' });
  const fault = faults.take(method, path);
  if (fault?.kind === 'slow') await clock.wait(fault.ms ?? 1_000);
  let answer: Answer | null = null;
  if (fault === null || takesEffect(fault))
    answer = await answerTo(exchange, { method, url, matched, question, body });
  await holds.pass({ method, path, when: 'after' });
  if (fault !== null && fault.kind !== 'slow') answer = broken(fault);
  if (fault?.kind === 'hang' || fault?.kind === 'hang-after') return;
  if (answer === null) return void incoming.socket.resetAndDestroy();
  send(outgoing, answer);
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly matched: ReturnType<typeof routeOf>;
  readonly question: Question | null;
  readonly body: unknown;
}

async function answerTo({ options, state, limits, base, incoming }: Exchange, asked: Asked): Promise<Answer> {
  const { matched, question, method, url, body } = asked;
  const token = tokenOf(options, incoming.headers, state.clock.now());
  if ('status' in token) return token;
  const over = limits.request(token.user);
  if (over !== null) return over;
  if (question !== null) return answerQuestion(question, state, token);
  if (matched === null) return notFound('');
  if (matched.route === 'POST /projects/{id}/issues') {
    const many = limits.creation(token.user, matched.path.id ?? '');
    if (many !== null) return many;
  }
  return rest(options, state, { ...matched, method, url, body: Object(body), token, base });
}

/** The token of a request, or why there is none. */
function tokenOf(
  { tokens }: LiveOptions,
  headers: IncomingMessage['headers'],
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

/** The bad response; `null` if the connection is cut instead. */
function broken({ kind, status = 500, message, retryAfter }: Fault): Answer | null {
  if (kind === 'garbage') return { status: 200, body: '<html>' };
  if (kind !== 'status') return null;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (status === 429) return { status, headers, body: 'Retry later\n' };
  if (status === 502 || status === 503)
    return { status, headers, body: '<html>GitLab is not responding</html>' };
  const words: Readonly<Record<number, string>> = {
    401: '401 Unauthorized',
    403: '403 Forbidden',
    500: '500 Internal Server Error',
  };
  return { ...refuse(status, message ?? words[status] ?? `${status}`), headers };
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}

function send(outgoing: ServerResponse, { status, body, headers }: Answer): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  outgoing.writeHead(status, { 'content-type': type, ...headers });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
}
