import { createHash, randomUUID } from 'node:crypto';
import { CulpritError } from '@culprit/core/connector';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { matchingSecret } from '../shared/hmac.js';

/** Tolerance in both directions: https://docs.slack.dev/authentication/verifying-requests-from-slack */
const WINDOW_SECONDS = 300;

/** The parts of a Slack request that its signature covers. */
export interface SignedRequest {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Slack's v0 scheme: HMAC-SHA256 over `v0:timestamp:body`. Returns the signature, for replay detection. An empty secret
 * rejects every request. Throws `unauthenticated`.
 */
export function verifiedSignature(
  signingSecret: string,
  { headers, body, receivedAt }: SignedRequest,
): string {
  if (signingSecret === '') throw refused('Interactive requests are disabled. Set SLACK_SIGNING_SECRET.');
  const timestamp = headers['x-slack-request-timestamp'] ?? '';
  const signature = headers['x-slack-signature'] ?? '';
  if (!/^\d{1,12}$/.test(timestamp))
    throw refused('The X-Slack-Request-Timestamp header is missing or not a number.');
  if (!/^v0=[0-9a-f]{64}$/.test(signature))
    throw refused('The X-Slack-Signature header is missing or not a v0 signature.');
  const given = Buffer.from(signature.slice(3), 'hex');
  const secrets = [{ project: 'slack', secret: signingSecret }];
  if (matchingSecret(secrets, [`v0:${timestamp}:`, body], given) === null) {
    throw refused('The X-Slack-Signature header does not match this request and SLACK_SIGNING_SECRET.');
  }
  if (Math.abs(receivedAt / 1_000 - Number(timestamp)) > WINDOW_SECONDS) {
    throw refused(
      'The X-Slack-Request-Timestamp header is off by more than 5 minutes. Check the server’s clock.',
    );
  }
  return signature;
}

function refused(detail: string): CulpritError {
  return new CulpritError('unauthenticated', detail);
}

/** Longer than a signature can be valid: 5 minutes before its timestamp and 5 after. */
const KEEP_MS = 15 * 60_000;
/** Limit of the in-memory set; the storage remembers all signatures. */
const MAX_RECENT = 20_000;

interface SeenSignatures {
  /** Resolves once per signature. A repeated one rejects with `unauthenticated`, even after a restart. */
  take(values: Values, signature: string): Promise<void>;
}

export function seenSignatures(): SeenSignatures {
  const recent = boundedMap<string, true>(MAX_RECENT);
  return {
    async take(values, signature) {
      const name = createHash('sha256').update(signature).digest('hex');
      const again = recent.has(name);
      recent.set(name, true);
      // If several processes receive the same request at once, one of them wins.
      const own = randomUUID();
      const first = (before: string | undefined) => (before === undefined ? own : undefined);
      const taken = again ? null : await values.change(`connector:slack:seen:${name}`, first, KEEP_MS);
      if (taken !== own) throw refused('This request was already received.');
    },
  };
}
