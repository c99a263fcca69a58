import type { Logger } from '@culprit/core';
import { timeLimit } from '@culprit/core/resilience';
import type { SlackClient } from './client.js';
import type { Pressed } from './reject-form.js';

/** Origins of Slack's response URLs. */
const HOOKS = new Set(['https://hooks.slack.com', 'https://hooks.slack-gov.com']);
const REPLY_MS = 10_000;
const ATTEMPTS = 3;

/** A person who pressed a button, and where. */
export interface Addressee extends Pressed {
  /** Slack user id. */
  readonly user: string;
}

export interface EphemeralReplier {
  /** Sends text that only this person sees. Never rejects. */
  say(to: Addressee, text: string): Promise<void>;
}

export interface EphemeralReplierParts {
  readonly apiUrl: string;
  readonly client: SlackClient;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Replies through the button's response URL, and otherwise through `chat.postEphemeral`: the URL works five times within 30
 * minutes, and a form may stay open for longer. Posts only to Slack, or to the endpoint configured instead.
 */
export function ephemeralReplier(parts: EphemeralReplierParts): EphemeralReplier {
  const { apiUrl, client, logger, signal } = parts;
  return {
    async say({ responseUrl, channel, user }, text) {
      if (
        responseUrl !== undefined &&
        isSlack(responseUrl, apiUrl) &&
        (await posted(parts, responseUrl, text))
      )
        return;
      if (signal.aborted) return;
      try {
        if (channel === undefined) throw new Error('the channel is unknown');
        await client.whisper(channel, user, text, timeLimit(REPLY_MS, signal));
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'a reply to a person in Slack was not delivered');
      }
    },
  };
}

function isSlack(text: string, apiUrl: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, username } = new URL(text);
  return username === '' && (HOOKS.has(origin) || origin === new URL(apiUrl).origin);
}

/** False: Slack refuses the URL, or is unreachable. */
async function posted(
  { fetch, logger, signal }: EphemeralReplierParts,
  url: string,
  text: string,
): Promise<boolean> {
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text });
  for (let attempt = 1; attempt <= ATTEMPTS && !signal.aborted; attempt++) {
    try {
      const {
        status,
        ok,
        body: rest,
      } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: timeLimit(REPLY_MS, signal),
      });
      await rest?.cancel();
      if (ok) return true;
      if (status < 500 && status !== 429) return false;
    } catch (error) {
      logger.debug({ err: error }, 'a reply to Slack failed');
    }
  }
  return false;
}
