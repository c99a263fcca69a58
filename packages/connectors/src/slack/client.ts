import { CulpritError } from '@culprit/core/connector';
import type { KnownBlock, ModalView } from '@slack/web-api';
import * as v from 'valibot';
import { boundedText } from '../shared/bounded-text.js';

/** Marks our own messages, invisible to people. */
const EVENT_TYPE = 'culprit_run';
/** `chat.update` errors that mean the message can no longer be changed. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found']);

/** `conversations.history` errors that mean the app may not read the channel. */
const UNREADABLE = new Set([
  'missing_scope',
  'no_permission',
  'access_denied',
  'not_in_channel',
  'channel_not_found',
]);
/** Messages to ask for at once. Slack may return fewer. */
const PAGE = 200;

export interface SlackMessage {
  /** Shown in notifications and read aloud; the blocks show the same in detail. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}
export interface MessageAddress {
  readonly channel: string;
  readonly ts: string;
}

/** Bounds in Slack's time, seconds since 1970, both exclusive. */
export interface SearchBounds {
  readonly oldest: string;
  readonly latest: string;
}
interface SearchPage {
  readonly message: MessageAddress | null;
  /** `latest` of the next page; `null`: there is none, or the app may not read the channel. */
  readonly next: string | null;
}

/** The calls that are needed. Failures reject with `notifier_failed`; an aborted signal with its reason. */
export interface SlackClient {
  post(channel: string, runId: string, message: SlackMessage, signal: AbortSignal): Promise<MessageAddress>;
  /** Adds a message to a message's thread. */
  reply(place: MessageAddress, message: SlackMessage, signal: AbortSignal): Promise<void>;
  /** False: the message no longer exists, or Slack does not allow changing it. */
  update(place: MessageAddress, runId: string, message: SlackMessage, signal: AbortSignal): Promise<boolean>;
  /** Searches one page of the channel, newest first, for our message of the run. */
  find(channel: string, runId: string, bounds: SearchBounds, signal: AbortSignal): Promise<SearchPage>;
  /** A message that only this person sees. They must be in the channel. */
  whisper(channel: string, user: string, text: string, signal: AbortSignal): Promise<void>;
  openForm(triggerId: string, view: ModalView, signal: AbortSignal): Promise<void>;
  /** The token's workspace and scopes. */
  identity(signal: AbortSignal): Promise<{ readonly team: string; readonly scopes: readonly string[] }>;
}

interface SlackAccess {
  readonly botToken: string;
  readonly apiUrl: string;
}

/** Maximum bytes of a response. A Web API response to our calls takes a few kilobytes. */
const ANSWER_BYTES = 1_048_576;
/** Of a post: nothing in it is formatted, linked or previewed. */
const PLAIN = { mrkdwn: false, unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false };

const message = v.object({
  ts: v.optional(v.string()),
  metadata: v.nullish(
    v.object({
      event_type: v.optional(v.string()),
      event_payload: v.nullish(v.object({ run_id: v.optional(v.unknown()) })),
    }),
  ),
});
const answerSchema = v.object({
  ok: v.boolean(),
  error: v.optional(v.string(), 'unknown_error'),
  channel: v.optional(v.string()),
  ts: v.optional(v.string()),
  team: v.optional(v.string()),
  messages: v.optional(v.array(message), []),
  has_more: v.optional(v.boolean(), false),
});
interface Answer extends v.InferOutput<typeof answerSchema> {
  readonly scopes: readonly string[];
}

/** One request for each call; nothing is repeated, and no redirect is followed. */
export function slackClient({ botToken, apiUrl }: SlackAccess, fetch: typeof globalThis.fetch): SlackClient {
  /** A call of the Web API. `expected`: errors of Slack's that are answers. */
  const call = async (
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    expected: ReadonlySet<string> = new Set(),
  ): Promise<Answer> => {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${apiUrl}${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${botToken}` },
        body: formOf(parameters),
        redirect: 'manual',
        signal,
      });
      const { text, more } = await boundedText(response, ANSWER_BYTES);
      if (response.status === 429) {
        const retryAfterMs = Math.max(1, Number(response.headers.get('retry-after')) || 1) * 1_000;
        throw failed('Slack’s rate limit is exceeded', { retryAfterMs });
      }
      if (response.status !== 200) {
        const retryable = response.status >= 500 || response.status === 408;
        throw failed(`Slack returned ${response.status}`, { retryable });
      }
      if (more) throw new Error('the response exceeded its size limit');
      const answer = v.parse(answerSchema, JSON.parse(text));
      if (!answer.ok && !expected.has(answer.error)) throw refused(answer.error);
      const scopes =
        response.headers
          .get('x-oauth-scopes')
          ?.trim()
          .split(/\s*,\s*/) ?? [];
      return { ...answer, scopes };
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CulpritError ? error : failed('Slack is unreachable', { cause: error });
    }
  };
  const payloadOf = (runId: string, { text, blocks }: SlackMessage) => ({
    text,
    blocks,
    metadata: { event_type: EVENT_TYPE, event_payload: { run_id: runId } },
  });
  return {
    async post(channel, runId, message, signal) {
      const given = { channel, ...payloadOf(runId, message), ...PLAIN };
      const { ts, channel: at = channel } = await call('chat.postMessage', given, signal);
      if (ts === undefined) throw failed('Slack sent an unreadable response', {});
      return { channel: at, ts };
    },
    async reply({ channel, ts: thread_ts }, { text, blocks }, signal) {
      await call('chat.postMessage', { channel, thread_ts, text, blocks, ...PLAIN }, signal);
    },
    async update({ channel, ts }, runId, message, signal) {
      const { parse, link_names } = PLAIN;
      const given = { channel, ts, ...payloadOf(runId, message), parse, link_names };
      return (await call('chat.update', given, signal, GONE)).ok;
    },
    async find(channel, runId, bounds, signal) {
      const query = { channel, ...bounds, include_all_metadata: true, limit: PAGE };
      const answer = await call('conversations.history', query, signal, UNREADABLE);
      return answer.ok ? pageOf(answer, channel, runId) : { message: null, next: null };
    },
    async whisper(channel, user, text, signal) {
      const { parse, link_names } = PLAIN;
      await call('chat.postEphemeral', { channel, user, text, parse, link_names }, signal);
    },
    async openForm(triggerId, view, signal) {
      await call('views.open', { trigger_id: triggerId, view }, signal);
    },
    async identity(signal) {
      const { team = 'a workspace', scopes } = await call('auth.test', {}, signal);
      return { team, scopes };
    },
  };
}

/** Every method takes a form, in which structured values are JSON: https://docs.slack.dev/apis/web-api */
function formOf(parameters: Readonly<Record<string, unknown>>): URLSearchParams {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts as [string, string][]);
}

/** Slack returns the newest message first: https://docs.slack.dev/reference/methods/conversations.history */
function pageOf({ messages, has_more }: Answer, channel: string, runId: string): SearchPage {
  for (const { ts, metadata } of messages) {
    if (ts !== undefined && metadata?.event_type === EVENT_TYPE && metadata.event_payload?.run_id === runId)
      return { message: { channel, ts }, next: null };
  }
  return { message: null, next: has_more ? (messages.at(-1)?.ts ?? null) : null };
}

/** Slack's temporary errors: https://docs.slack.dev/reference/methods/chat.postMessage (errors). */
const TEMPORARY = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
const RATE = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const RATE_PAUSE_MS = 30_000;

const HINTS: Readonly<Record<string, string>> = {
  invalid_auth: 'check SLACK_BOT_TOKEN',
  not_authed: 'check SLACK_BOT_TOKEN',
  account_inactive: 'the app was uninstalled; reinstall it',
  token_revoked: 'the token was revoked; reinstall the app',
  token_expired: 'the token has expired; reinstall the app',
  missing_scope: 'add the scope chat:write to the app and reinstall it',
  channel_not_found: 'check SLACK_CHANNEL, and invite the app: /invite @Culprit',
  not_in_channel: 'invite the app to the channel: /invite @Culprit',
  is_archived: 'the channel is archived; set another SLACK_CHANNEL',
};

/** `notifier_failed` for Slack's error, such as `channel_not_found`: retryable if it is temporary. */
function refused(error: string): CulpritError {
  const code = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown_error';
  if (RATE.has(code)) return failed('Slack’s rate limit is exceeded', { retryAfterMs: RATE_PAUSE_MS });
  const hint = HINTS[code];
  return failed(`Slack returned ${code}${hint === undefined ? '' : `: ${hint}`}`, {
    retryable: TEMPORARY.has(code),
  });
}

function failed(
  what: string,
  options: { readonly retryable?: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
): CulpritError {
  return new CulpritError('notifier_failed', `${what}.`, options);
}
