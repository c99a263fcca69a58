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
import { type Answer, knownToken, refuse } from './answer.js';
import { type ControlParts, control } from './control.js';
import { operationOf, violationsOf } from './description.js';
import { sendEvent } from './events.js';
import { servesGit } from './git-http.js';
import type { DoubleOptions, DoubleToken, LiveOptions, Webhook } from './options.js';
import { rest } from './rest.js';
import { type NewIssue, State, type StoredComment, type StoredIssue } from './state.js';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** `operationId` of the description, or `git`; `null` if there is none. */
  readonly operation: string | null;
}

export interface ForgejoDouble {
  /** Base address, for `url` of the connector. */
  readonly url: string;
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** What in requests violates the description. `close` rejects if there are any. */
  readonly violations: readonly string[];
  issues(repository: string): readonly StoredIssue[];
  /** Names of the labels of a repository, or of an organisation alone. */
  labels(repository: string): readonly string[];
  comments(issue: StoredIssue): readonly StoredComment[];
  addIssue(issue: NewIssue): StoredIssue;
  closeIssue(repository: string, number: number): void;
  reopenIssue(repository: string, number: number): void;
  deleteIssue(repository: string, number: number): void;
  lockIssue(repository: string, number: number): void;
  /** A pull request that this commit merged; sends its event. */
  merge(pull: {
    readonly repository: string;
    readonly title: string;
    readonly body: string;
    readonly commit: string;
  }): StoredIssue;
  deleteLabel(repository: string, name: string): void;
  fault(fault: Fault): void;
  hold(hold: Hold): void;
  release(): number;
  /** Sends events from now on. */
  sendEvents(webhook: Webhook): void;
  close(): Promise<void>;
}

interface Exchange extends ControlParts {
  readonly requests: SeenRequest[];
  readonly bugs: string[];
  readonly violations: string[];
  readonly clock: DoubleClock;
  readonly base: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Starts a Forgejo on loopback. */
export async function startForgejoDouble(given: DoubleOptions): Promise<ForgejoDouble> {
  const { webhook, ...others } = given;
  const options: LiveOptions = {
    ...others,
    ...(webhook === undefined ? {} : { webhook }),
    repositories: { ...given.repositories },
    tokens: { ...given.tokens },
  };
  const clock = new DoubleClock(Date.now, given.timeScale, given.timeOrigin);
  const state = new State(clock, given.persistTo);
  for (const [name, labels] of Object.entries(given.organizations ?? {}))
    for (const label of labels) if (!state.has(name, label)) state.addLabel(name, label);
  const [faults, holds] = [new Faults(), new Holds()];
  const [requests, bugs, violations]: [SeenRequest[], string[], string[]] = [[], [], []];
  const parts = { options, state, faults, holds, requests, bugs, violations, clock };
  const server = createServer((incoming, outgoing) => {
    serve({ ...parts, base: base(), incoming, outgoing }).catch((error) => {
      if (incoming.destroyed && !incoming.complete) return;
      bugs.push(String(error));
      if (!outgoing.headersSent) send(outgoing, refuse(500, String(error)));
    });
  });
  const base = () => originOf(server);
  state.changed = (issue, action) => {
    if (options.webhook) sendEvent(options.webhook, options.program, { issue, action, base: base() });
  };
  await listen(server, given.port);
  const change = (repository: string, number: number, work: (issue: StoredIssue) => void) => {
    const issue = state.issue(repository, number);
    if (issue === null) throw new Error(`${repository} has no issue ${number}`);
    work(issue);
    state.touch(issue);
  };
  return {
    url: base(),
    requests,
    violations,
    issues: (repository) => state.of(repository),
    labels: (repository) =>
      state.labels.filter((label) => label.repository === repository).map(({ name }) => name),
    comments: (issue) => state.commentsOf(issue),
    addIssue: (issue) => state.add(issue),
    closeIssue: (repository, number) =>
      change(repository, number, (issue) => state.setState(issue, 'closed')),
    reopenIssue: (repository, number) => change(repository, number, (issue) => state.setState(issue, 'open')),
    deleteIssue: (repository, number) =>
      change(repository, number, (issue) => {
        issue.gone = 'deleted';
      }),
    lockIssue: (repository, number) =>
      change(repository, number, (issue) => {
        issue.locked = true;
      }),
    merge: ({ commit, ...pull }) => {
      const merged = state.add({ ...pull, labels: [], assignees: [], user: 'dev', merged: commit });
      state.changed(merged, 'closed');
      return merged;
    },
    deleteLabel: (repository, name) => state.removeLabel(repository, name),
    fault: (fault) => faults.add(fault),
    hold: (hold) => holds.add(hold),
    release: () => holds.release(),
    sendEvents: (to) => {
      options.webhook = to;
    },
    close: () => closeServer(server, parts),
  };
}

async function serve(exchange: Exchange): Promise<void> {
  const { options, incoming, outgoing, base, requests, violations, holds, faults, clock } = exchange;
  const url = new URL(incoming.url ?? '/', base);
  const [method, path] = [incoming.method ?? 'GET', url.pathname];
  if (path.includes('.git/')) {
    requests.push({ method, path, operation: 'git' });
    if (servesGit(options, url, incoming, outgoing)) return;
  }
  // A web page, which tells the server's time.
  if (method === 'HEAD' && path === '/') return send(outgoing, { status: 200, body: '' });
  const text = await readBody(incoming);
  if (path.startsWith('/__double/'))
    return send(
      outgoing,
      await control(exchange, { method, path, body: text, origin: incoming.headers.origin }),
    );
  const matched = operationOf(method, path.replace(/^\/api\/v1(?=\/)/, ''));
  const body = parsed(text);
  violations.push(
    ...(matched === null ? [`${method} ${path} is not used`] : violationsOf(matched.operation, url, body)),
  );
  requests.push({ method, path, operation: matched?.operation.id ?? null });
  await holds.pass({ method, path, when: 'before' });
  const fault = faults.take(method, path);
  if (fault?.kind === 'slow') await clock.wait(fault.ms ?? 1_000);
  let answer: Answer | null = null;
  if (fault === null || takesEffect(fault)) {
    const token = tokenOf(options, incoming.headers.authorization, clock.now());
    if (matched === null) answer = refuse(404, 'Not Found');
    else if (token === null) answer = refuse(401, 'user does not exist [uid: 0, name: ]');
    else {
      const request = { ...matched, url, body: Object(body) as Record<string, unknown>, token, base };
      answer = rest(options, exchange.state, request, clock.now());
    }
  }
  await holds.pass({ method, path, when: 'after' });
  if (fault !== null && fault.kind !== 'slow') answer = broken(fault);
  if (fault?.kind === 'hang' || fault?.kind === 'hang-after') return;
  if (answer === null) return incoming.socket.resetAndDestroy() && undefined;
  send(outgoing, answer);
}

/** The bad response; `null` if the connection is cut instead. 429 is a proxy's. */
function broken({ kind, status = 500, message = '', retryAfter }: Fault): Answer | null {
  if (kind === 'garbage') return { status: 200, body: '<html>' };
  if (kind !== 'status') return null;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...refuse(status, message), headers };
}

function tokenOf(options: LiveOptions, header: string | undefined, now: number): DoubleToken | null {
  return knownToken(options, /^(?:token|Bearer) (\S+)$/.exec(header ?? '')?.[1] ?? '', now);
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}

function send(outgoing: ServerResponse, { status, body, headers }: Answer): void {
  const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json;charset=utf-8';
  outgoing.writeHead(status, { 'content-type': type, ...headers });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
}
