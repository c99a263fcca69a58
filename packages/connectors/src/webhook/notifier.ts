import { CulpritError, type Notifier } from '@culprit/core';
import { parseRetryAfterMs } from '@culprit/core/resilience';
import { webhookHeaders } from '../shared/standard-webhooks.js';
import type { WebhookConfig } from './config.js';
import { webhookMessage } from './message.js';

/** The longest accepted Retry-After. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

export interface WebhookParts {
  readonly config: WebhookConfig;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One POST for each lasting state, with a fresh signature per attempt. The engine retries. */
export function webhookNotifier({ config, fetch, now }: WebhookParts): Notifier {
  return {
    async notify(run, signal, story) {
      const { id, body } = webhookMessage(run, config.boardUrl ?? null, story);
      let response: Response;
      try {
        response = await fetch(config.url, {
          method: 'POST',
          headers: webhookHeaders({ id, body, at: now(), secrets: config.secrets }),
          body,
          redirect: 'manual',
          signal,
        });
      } catch (cause) {
        signal.throwIfAborted();
        throw new CulpritError('notifier_failed', 'The webhook receiver is unreachable.', { cause });
      }
      await response.body?.cancel();
      if (!response.ok) throw refusal(response, now());
    },
  };
}

/** Every status but 2xx is a failure. Permanent ones are not retried. */
function refusal({ status, headers }: Response, now: number): CulpritError {
  if (status === 0 || (status >= 300 && status < 400)) {
    const detail =
      'The webhook receiver redirects, and redirects are not followed. Configure the target address.';
    return new CulpritError('notifier_failed', detail, { retryable: false });
  }
  const detail = `The webhook receiver returned ${status}.`;
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), now);
  return new CulpritError('notifier_failed', detail, {
    retryable: status !== 410 && status !== 413,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, MAX_WAIT_MS) }),
  });
}
