import { isCulpritError } from '@culprit/core';
import type { ConversationsHistoryResponse, KnownBlock, ModalView, WebClient } from '@slack/web-api';
import { platformError, translated } from './errors.js';
import { fetchAdapter } from './fetch-adapter.js';
import { loadSlack } from './load.js';

/** Names our messages among others, invisible to people. */
const EVENT_TYPE = 'culprit_run';
/** Answers of `chat.update` that mean: the message cannot be changed any more. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found']);

export interface SlackMessage {
  /** Shown in notifications, read aloud; the blocks say the same at length. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}
export interface MessageAddress {
  readonly channel: string;
  readonly ts: string;
}

/** The few calls that are needed. Failures reject with `notifier_failed`; an aborted signal with its reason. */
export interface SlackClient {
  post(channel: string, runId: string, message: SlackMessage, signal: AbortSignal): Promise<MessageAddress>;
  /** False: the message is not there any more, or Slack does not let it be changed. */
  update(place: MessageAddress, runId: string, message: SlackMessage, signal: AbortSignal): Promise<boolean>;
  /** Our message of the run since the time (seconds), `null` also where the app may not read the channel. */
  find(channel: string, runId: string, since: number, signal: AbortSignal): Promise<MessageAddress | null>;
  openForm(triggerId: string, view: ModalView, signal: AbortSignal): Promise<void>;
  /** Who the token is. */
  identity(signal: AbortSignal): Promise<{ readonly team: string; readonly scopes: readonly string[] }>;
}

export interface SlackAccess {
  readonly botToken: string;
  readonly apiUrl: string;
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };

/** A vendor client for each call, so that a signal ends its own call and no other. The library never tries again by itself. */
export function slackClient({ botToken, apiUrl }: SlackAccess, fetch: typeof globalThis.fetch): SlackClient {
  const call = async <T>(signal: AbortSignal, work: (client: WebClient) => Promise<T>): Promise<T> => {
    const { WebClient, LogLevel } = await loadSlack();
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
  const said = (runId: string, { text, blocks }: SlackMessage) => ({
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
        const answer = await client.chat.postMessage({ channel, ...said(runId, message), ...plain });
        return placeOf(answer, channel);
      }),
    update: ({ channel, ts }, runId, message, signal) =>
      calling(signal, async (client) => {
        try {
          await client.chat.update({ channel, ts, ...said(runId, message) });
          return true;
        } catch (error) {
          if (GONE.has(platformError(error) ?? '')) return false;
          throw error;
        }
      }),
    find: (channel, runId, since, signal) =>
      calling(signal, async (client) => {
        const oldest = String(since);
        const query = { channel, oldest, inclusive: true, include_all_metadata: true, limit: 200 };
        try {
          return ours(await client.conversations.history(query), channel, runId);
        } catch (error) {
          if (platformError(error) !== null) return null;
          throw error;
        }
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
  if (answer.ts === undefined) throw new Error('the answer names no message');
  return { channel: answer.channel ?? channel, ts: answer.ts };
}

function ours(
  { messages = [] }: ConversationsHistoryResponse,
  channel: string,
  runId: string,
): MessageAddress | null {
  for (const { ts, metadata } of messages) {
    const payload = metadata?.event_payload as { readonly run_id?: unknown } | undefined;
    if (ts !== undefined && metadata?.event_type === EVENT_TYPE && payload?.run_id === runId)
      return { channel, ts };
  }
  return null;
}
