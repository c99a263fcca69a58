import type { Logger } from '@culprit/core';
import { timeLimit } from '@culprit/core/resilience';

/** Origins of Slack's response URLs. */
const HOOKS = new Set(['https://hooks.slack.com', 'https://hooks.slack-gov.com']);
const REPLY_MS = 10_000;
const ATTEMPTS = 3;

export interface EphemeralReplier {
  /** Sends text that only the person who pressed the button sees. Never rejects. */
  say(responseUrl: string | undefined, text: string): Promise<void>;
}

export interface EphemeralReplierParts {
  readonly apiUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Posts only to Slack's response URLs, or to the endpoint configured instead of Slack. */
export function ephemeralReplier({ apiUrl, fetch, logger, signal }: EphemeralReplierParts): EphemeralReplier {
  const allowed = (text: string) => {
    if (!URL.canParse(text)) return false;
    const { origin, username } = new URL(text);
    return username === '' && (HOOKS.has(origin) || origin === new URL(apiUrl).origin);
  };
  return {
    async say(responseUrl, text) {
      if (responseUrl === undefined || !allowed(responseUrl)) return;
      const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text });
      for (let attempt = 1; attempt <= ATTEMPTS && !signal.aborted; attempt++) {
        try {
          const response = await fetch(responseUrl, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
            redirect: 'manual',
            signal: timeLimit(REPLY_MS, signal),
          });
          await response.body?.cancel();
          if (response.status < 500 && response.status !== 429) return;
        } catch (error) {
          logger.debug({ err: error }, 'a reply to Slack failed');
        }
      }
      if (!signal.aborted) logger.warn({}, 'a reply to a person in Slack was not delivered');
    },
  };
}
