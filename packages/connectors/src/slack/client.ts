import { CulpritError, isCulpritError } from '@culprit/core/connector';
import type {
  ConversationsHistoryResponse,
  KnownBlock,
  ModalView,
  WebClient,
  WebClientOptions,
} from '@slack/web-api';
import { boundedText } from '../shared/bounded-text.js';
import { loadLibrary } from '../shared/load-library.js';

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

const silent = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };

/** A vendor client per call, so that a signal ends only its own call. The library never retries. */
export function slackClient({ botToken, apiUrl }: SlackAccess, fetch: typeof globalThis.fetch): SlackClient {
  const call = async <T>(signal: AbortSignal, work: (client: WebClient) => Promise<T>): Promise<T> => {
    const { WebClient, LogLevel } = await loadLibrary(
      'The slack connector',
      '@slack/web-api',
      () => import('@slack/web-api'),
    );
    signal.throwIfAborted();
    const client = new WebClient(botToken, {
      slackApiUrl: apiUrl,
      adapter: fetchAdapter(fetch, signal),
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      attachOriginalToWebAPIRequestError: false,
      logger: { ...silent, getLevel: () => LogLevel.ERROR },
    });
    try {
      return await work(client);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  const calling = <T>(signal: AbortSignal, work: (client: WebClient) => Promise<T>): Promise<T> =>
    call(signal, work).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw isCulpritError(error) ? error : translated(error);
    });
  const payloadOf = (runId: string, { text, blocks }: SlackMessage) => ({
    text,
    blocks: [...blocks],
    metadata: { event_type: EVENT_TYPE, event_payload: { run_id: runId } },
    parse: 'none' as const,
    link_names: false,
  });
  return {
    post: (channel, runId, message, signal) =>
      calling(signal, async (client) => {
        const plain = { mrkdwn: false, unfurl_links: false, unfurl_media: false };
        const answer = await client.chat.postMessage({ channel, ...payloadOf(runId, message), ...plain });
        return placeOf(answer, channel);
      }),
    reply: ({ channel, ts: thread_ts }, { text, blocks }, signal) =>
      calling(signal, async (client) => {
        const fixed = { mrkdwn: false, unfurl_links: false, unfurl_media: false, parse: 'none' as const };
        await client.chat.postMessage({
          channel,
          thread_ts,
          text,
          blocks: [...blocks],
          ...fixed,
          link_names: false,
        });
      }),
    update: ({ channel, ts }, runId, message, signal) =>
      calling(signal, async (client) => {
        try {
          await client.chat.update({ channel, ts, ...payloadOf(runId, message) });
          return true;
        } catch (error) {
          if (GONE.has(platformError(error) ?? '')) return false;
          throw error;
        }
      }),
    find: (channel, runId, bounds, signal) =>
      calling(signal, async (client) => {
        const query = { channel, ...bounds, include_all_metadata: true, limit: PAGE };
        try {
          return pageOf(await client.conversations.history(query), channel, runId);
        } catch (error) {
          if (UNREADABLE.has(platformError(error) ?? '')) return { message: null, next: null };
          throw error;
        }
      }),
    whisper: (channel, user, text, signal) =>
      calling(signal, async (client) => {
        await client.chat.postEphemeral({ channel, user, text, parse: 'none', link_names: false });
      }),
    openForm: (triggerId, view, signal) =>
      calling(signal, async (client) => void (await client.views.open({ trigger_id: triggerId, view }))),
    identity: (signal) =>
      calling(signal, async (client) => {
        const { team, response_metadata } = await client.auth.test();
        return { team: team ?? 'a workspace', scopes: response_metadata?.scopes ?? [] };
      }),
  };
}

function placeOf(answer: { channel?: string; ts?: string }, channel: string): MessageAddress {
  if (answer.ts === undefined) throw new Error('the response contains no message id');
  return { channel: answer.channel ?? channel, ts: answer.ts };
}

/** Slack returns the newest message first: https://docs.slack.dev/reference/methods/conversations.history */
function pageOf(
  { messages = [], has_more }: ConversationsHistoryResponse,
  channel: string,
  runId: string,
): SearchPage {
  for (const { ts, metadata } of messages) {
    const payload = metadata?.event_payload as { readonly run_id?: unknown } | undefined;
    if (ts !== undefined && metadata?.event_type === EVENT_TYPE && payload?.run_id === runId)
      return { message: { channel, ts }, next: null };
  }
  return { message: null, next: has_more === true ? (messages.at(-1)?.ts ?? null) : null };
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

/** The parts of Slack's library errors that are used. */
interface VendorError {
  readonly code?: unknown;
  readonly data?: { readonly error?: unknown };
  readonly retryAfter?: unknown;
  readonly statusCode?: unknown;
}

/** Slack's error name, such as `channel_not_found`, or `null` if the error is not a Slack response. */
function platformError(error: unknown): string | null {
  const { code, data } = (error ?? {}) as VendorError;
  if (code !== 'slack_webapi_platform_error' || typeof data?.error !== 'string') return null;
  return /^[a-z_]{1,60}$/.test(data.error) ? data.error : 'unknown_error';
}

/** Maps vendor failures to `notifier_failed`, retryable unless Slack refused the request. */
function translated(error: unknown): CulpritError {
  const slackCode = platformError(error);
  if (slackCode !== null) return permanentOrTemporary(slackCode, error);
  const { code, retryAfter, statusCode } = (error ?? {}) as VendorError;
  if (code === 'slack_webapi_rate_limited_error') {
    const retryAfterMs = Math.max(1, Number(retryAfter) || 1) * 1_000;
    return failed('Slack’s rate limit is exceeded', { retryAfterMs, cause: error });
  }
  if (code === 'slack_webapi_http_error') {
    const retryable = Number(statusCode) >= 500 || statusCode === 408;
    return failed(`Slack returned ${Number(statusCode)}`, { retryable, cause: error });
  }
  return failed('Slack is unreachable', { cause: error });
}

function permanentOrTemporary(slackCode: string, cause: unknown): CulpritError {
  if (RATE.has(slackCode))
    return failed('Slack’s rate limit is exceeded', { retryAfterMs: RATE_PAUSE_MS, cause });
  const hint = HINTS[slackCode];
  return failed(`Slack returned ${slackCode}${hint === undefined ? '' : `: ${hint}`}`, {
    retryable: TEMPORARY.has(slackCode),
    cause,
  });
}

function failed(
  what: string,
  options: { readonly retryable?: boolean; readonly retryAfterMs?: number; readonly cause: unknown },
): CulpritError {
  return new CulpritError('notifier_failed', `${what}.`, options);
}

type Adapter = NonNullable<WebClientOptions['adapter']>;

/** Maximum bytes of a response. A Web API response to our calls takes a few kilobytes. */
const ANSWER_BYTES = 1_048_576;

/** Makes Slack's library use `fetch`, follow no redirect, and end with the signal. */
function fetchAdapter(fetch: typeof globalThis.fetch, signal: AbortSignal): Adapter {
  return async (config) => {
    const response = await fetch(String(config.url), {
      method: 'POST',
      headers: textHeaders(config.headers.toJSON()),
      body: String(config.data ?? ''),
      redirect: 'manual',
      signal,
    });
    const { text, more } = await boundedText(response, ANSWER_BYTES);
    if (more) throw new Error('the response exceeded its size limit');
    return {
      data: text,
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      config,
      // Slack's library reads the path of the request.
      request: { path: new URL(String(config.url)).pathname },
    };
  };
}

function textHeaders(headers: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(given) as Record<string, string>;
}
