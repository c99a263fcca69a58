import type { lookup } from 'node:dns';
import { type ClientRequest, request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import { isIP } from 'node:net';
import { webhookHeaders } from '@culprit/connectors/webhook';
import { timeLimit } from '@culprit/core/connector';
import { parseRetryAfterMs } from '@culprit/core/internal/resilience/retry-delay';
import { addressRefused, hostOf, isPublicAddress, publicLookup } from './target.js';

/** The specification's limit for a receiver. */
const ATTEMPT_MS = 15_000;
/** Of a response. Its text is never shown, so that a webhook cannot be used to read other servers. */
const RESPONSE_BYTES = 1_024;
/** The longest accepted Retry-After. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/** The outcome of one attempt. */
export interface Attempt {
  readonly ok: boolean;
  /** `null`: no response. */
  readonly status: number | null;
  readonly code: AttemptCode;
  readonly ms: number;
  readonly retryAfterMs?: number;
}

/** What became of an attempt, with the sentence that is shown. */
export const ATTEMPT_CODES = {
  delivered: 'The receiver accepted the message.',
  refused: 'The receiver answered with a status other than 2xx.',
  redirected: 'The receiver redirects, and redirects are not followed. Set the target address as the URL.',
  gone: 'The receiver answered 410, so the webhook was turned off.',
  timed_out: 'The receiver did not answer within 15 seconds.',
  unreachable: 'No connection to the receiver.',
  address_refused:
    'The host is an address of a private network. An operator can allow it with WEBHOOK_ALLOWED_HOSTS.',
  no_secret: 'The webhook has no secret, because it was imported. Rotate its secret.',
  turned_off: 'The webhook was turned off.',
  queue_full: 'Too many deliveries of this webhook were waiting.',
} as const;
export type AttemptCode = keyof typeof ATTEMPT_CODES;

export interface MessageToSend {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

export interface SendParts {
  /** Hosts that may be private. */
  readonly allowed: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Default: the system's. */
  readonly resolve?: typeof lookup;
}

/** One signed POST. Never rejects, except if the signal is aborted. */
export async function sendMessage(message: MessageToSend, parts: SendParts): Promise<Attempt> {
  const { now, signal } = parts;
  const start = performance.now();
  const ms = () => Math.round(performance.now() - start);
  if (message.secrets.length === 0) return { ok: false, status: null, code: 'no_secret', ms: 0 };
  const limit = timeLimit(ATTEMPT_MS, signal);
  try {
    const response = await post(message, parts, limit);
    const { statusCode: status = 0, headers } = response;
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], now());
    return {
      ok: status >= 200 && status < 300,
      status,
      code: codeOf(status),
      ms: ms(),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, MAX_WAIT_MS) }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'address_refused') return { ok: false, status: null, code, ms: ms() };
    return { ok: false, status: null, code: limit.aborted ? 'timed_out' : 'unreachable', ms: ms() };
  }
}

function codeOf(status: number): AttemptCode {
  if (status >= 200 && status < 300) return 'delivered';
  if (status >= 300 && status < 400) return 'redirected';
  return status === 410 ? 'gone' : 'refused';
}

function post(
  { url: text, id, body, secrets }: MessageToSend,
  { allowed, now, resolve }: SendParts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(text);
  const host = hostOf(url);
  const free = allowed.has(host);
  // A literal address is not resolved. What the settings allow may have changed since the webhook was made.
  if (!free && (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))))
    return Promise.reject(addressRefused());
  const options = {
    method: 'POST',
    agent: false,
    signal,
    headers: {
      ...webhookHeaders({ id, body, at: now(), secrets }),
      'content-length': Buffer.byteLength(body),
    },
    ...(free ? (resolve === undefined ? {} : { lookup: resolve }) : { lookup: publicLookup(resolve) }),
  };
  return new Promise((done, failed) => {
    const sent: ClientRequest = url.protocol === 'https:' ? https(url, options) : http(url, options);
    sent.on('error', failed);
    sent.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > RESPONSE_BYTES) sent.destroy();
      });
      response.on('error', () => sent.destroy());
      done(response);
    });
    sent.end(body);
  });
}
