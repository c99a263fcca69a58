import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, readBody } from '../shared/http.js';
import { type Interaction, type OpenedForm, type PressOptions, press, submit } from './interactions.js';
import { callMethod } from './methods.js';
import {
  type AppKind,
  BOT_TOKEN,
  createWorkspace,
  type Json,
  nextTs,
  refused,
  type StoredMessage,
  type ThreadReply,
  takeRate,
  timeOf,
  type Whisper,
  type Workspace,
} from './workspace.js';

/** How many times a response URL may be used. */
const HOOK_USES = 5;

export type SlackFailure = 'unavailable' | 'faulty' | 'refused' | 'wait' | 'hang' | 'posted_but_silent';

export interface SlackDouble {
  readonly apiUrl: string;
  readonly messages: readonly StoredMessage[];
  readonly replies: readonly ThreadReply[];
  readonly whispers: readonly Whisper[];
  readonly forms: readonly OpenedForm[];
  /** Method names in order. */
  readonly calls: readonly string[];
  /** Everything that apps have sent, as text. */
  sent(): string;
  failNext(failure: SlackFailure): void;
  /** With true, every request returns 503 until it is called with false. */
  down(is: boolean): void;
  /** The app may not read the channel. */
  withoutHistory(): void;
  remove(ts: string): void;
  /** Other people write this many messages. */
  chatter(count: number): void;
  /** The person leaves the channel. */
  leave(user: string): void;
  /** Slack's clock moves on: response URLs expire, rates recover. */
  advance(ms: number): void;
  press(options: PressOptions): Interaction;
  submit(form: OpenedForm, reason: string, to?: string): Interaction;
  /** Resolves when `ready` holds; checked after every request. */
  until(ready: () => boolean): Promise<void>;
  close(): Promise<void>;
}

interface Desk {
  readonly workspace: Workspace;
  readonly calls: string[];
  readonly sent: string[];
  failure: SlackFailure | null;
  down: boolean;
}

/** Slack's documented Web API as far as the app uses it, Slack's interactive requests, and its failures. See RULES.md. */
export async function slackDouble(app: AppKind = 'internal'): Promise<SlackDouble> {
  const desk: Desk = { workspace: createWorkspace(app), calls: [], sent: [], failure: null, down: false };
  const { workspace } = desk;
  const watchers = new Set<() => void>();
  const { url, close } = await listen((request, response) => {
    void serve(desk, request, response)
      .catch(() => response.destroy())
      .finally(() => {
        for (const look of watchers) look();
      });
  });
  return {
    apiUrl: `${url}/api/`,
    messages: workspace.messages,
    replies: workspace.replies,
    whispers: workspace.whispers,
    forms: workspace.forms,
    calls: desk.calls,
    sent: () => desk.sent.join('\n'),
    failNext: (next) => {
      desk.failure = next;
    },
    down: (is) => {
      desk.down = is;
    },
    withoutHistory: () => {
      workspace.history = false;
    },
    remove: (ts) => {
      const at = workspace.messages.findIndex((message) => message.ts === ts);
      workspace.messages.splice(at, 1);
    },
    chatter: (count) => {
      for (let n = 0; n < count; n++) workspace.chatter.push(nextTs(workspace));
    },
    leave: (user) => void workspace.absent.add(user),
    advance: (ms) => {
      workspace.ahead += ms;
    },
    press: (options) => press(workspace, url, options),
    submit,
    until: (ready) =>
      new Promise((resolve) => {
        const look = () => {
          if (!ready()) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    close,
  };
}

async function serve(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const path = request.url ?? '';
  const { failure } = desk;
  desk.failure = null;
  if (desk.down || failure === 'unavailable') return reply(response, 503, 'text/plain', 'down');
  if (failure === 'hang') return;
  if (failure === 'wait') return limited(response, 2);
  if (path.startsWith('/actions/')) return whisper(desk, path, body, response);
  const name = path.replace(/^\/api\//, '');
  desk.calls.push(name);
  if (request.headers.authorization !== `Bearer ${BOT_TOKEN}`) return json(response, refused('invalid_auth'));
  if (failure === 'faulty') return json(response, refused('internal_error'));
  if (failure === 'refused') return json(response, refused('channel_not_found'));
  const wait = takeRate(name, desk.workspace);
  if (wait > 0) return limited(response, wait);
  const args = argumentsOf(request, body);
  desk.sent.push(JSON.stringify(args));
  const result = callMethod(name, args, desk.workspace);
  if (failure === 'posted_but_silent') response.destroy();
  else json(response, result);
}

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
function whisper({ workspace, sent }: Desk, path: string, body: string, response: ServerResponse): void {
  const hook = workspace.hooks.get(path);
  if (hook !== undefined) hook.uses += 1;
  if (hook === undefined || hook.uses > HOOK_USES || timeOf(workspace) > hook.until) {
    const error = hook !== undefined && hook.uses <= HOOK_USES ? 'expired_url' : 'used_url';
    reply(response, 404, 'application/json', JSON.stringify(refused(error)));
    return;
  }
  const { text, response_type } = JSON.parse(body) as Json;
  if (response_type !== 'ephemeral') {
    reply(response, 400, 'text/plain', 'invalid_payload');
    return;
  }
  sent.push(body);
  workspace.whispers.push({ user: hook.user, text: String(text), through: 'response_url' });
  reply(response, 200, 'text/plain', 'ok');
}

/** Form-encoded as sent by Slack's library: structured arguments are JSON. */
function argumentsOf({ headers }: IncomingMessage, body: string): Json {
  if (headers['content-type']?.startsWith('application/json')) return JSON.parse(body) as Json;
  const structured = ['blocks', 'metadata', 'view'];
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([name, value]): [string, unknown] => [
      name,
      structured.includes(name) ? JSON.parse(value) : value,
    ]),
  );
}

/** https://docs.slack.dev/apis/web-api/rate-limits */
function limited(response: ServerResponse, seconds: number): void {
  const wait = { 'retry-after': String(seconds) };
  reply(response, 429, 'application/json', '{"ok":false,"error":"ratelimited"}', wait);
}

function json(response: ServerResponse, value: Json): void {
  const scopes = { 'x-oauth-scopes': 'chat:write' };
  reply(response, 200, 'application/json; charset=utf-8', JSON.stringify(value), scopes);
}

function reply(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(body);
}
