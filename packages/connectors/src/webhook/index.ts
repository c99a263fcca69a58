import { CulpritError, defineConnector, type Notifier, secret } from '@culprit/core/connector';
import { parseRetryAfterMs } from '@culprit/core/internal/resilience/retry-delay';
import * as v from 'valibot';
import { webhookHeaders } from '../shared/standard-webhooks.js';
import { webhookMessage } from './message.js';

/** `whsec_` and 24 to 64 bytes in base64, as the specification requires. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64'),
);

const webhookConfig = v.pipe(
  v.strictObject({
    /** The only address that is called. Redirects are failures. */
    url: v.pipe(v.string(), v.check(isTarget, 'must be an http(s) URL without a user or a fragment')),
    /** The newest first. During a rotation both sign, so that the receiver may know either. */
    secrets: v.pipe(v.array(key), v.minLength(1), v.maxLength(2)),
    /** The board's address; absent: messages do not link to it. */
    boardUrl: v.optional(v.pipe(v.string(), v.regex(/^https?:\/\//))),
    /** True: allows an http target that is not on this machine. */
    allowPlaintext: v.optional(v.boolean(), false),
  }),
  v.check(
    ({ url, allowPlaintext }) => allowPlaintext || isPrivateEnough(url),
    'must be https, or on this machine, because messages contain run titles',
  ),
);
type WebhookConfig = v.InferOutput<typeof webhookConfig>;

function isTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '';
}

function isPrivateEnough(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export { type MessageToSign, webhookHeaders } from '../shared/standard-webhooks.js';
export { webhookData } from './message.js';

/** Notifies another program about runs: one signed POST (Standard Webhooks) for each lasting state. */
export const webhook = defineConnector({
  id: 'webhook',
  config: webhookConfig,
  setup: (config, { fetch }) => ({
    notifier: webhookNotifier({ config, fetch, now: Date.now }),
    check: async () => [
      { name: 'webhook', ok: true, detail: `Runs are sent to ${new URL(config.url).origin}`, optional: true },
    ],
  }),
});

/** The longest accepted Retry-After. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

interface WebhookParts {
  readonly config: WebhookConfig;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One POST for each lasting state, with a fresh signature per attempt. The engine retries. */
function webhookNotifier({ config, fetch, now }: WebhookParts): Notifier {
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
