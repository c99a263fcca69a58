import { CulpritError } from '@culprit/core';
import { matchingSecret } from '../shared/hmac.js';

/** Both ways: https://docs.slack.dev/authentication/verifying-requests-from-slack */
const WINDOW_SECONDS = 300;

export interface SignedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw bytes, before anything was decoded. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Slack's v0 scheme: HMAC-SHA256 over `v0:timestamp:body`. Resolves with the signature, for the memory of those seen.
 * An empty secret refuses everything. Throws `unauthenticated`.
 */
export function verifiedSignature(
  signingSecret: string,
  { headers, body, receivedAt }: SignedRequest,
): string {
  if (signingSecret === '') throw refused('Interactive requests are closed: set SLACK_SIGNING_SECRET.');
  const timestamp = headers['x-slack-request-timestamp'] ?? '';
  const signature = headers['x-slack-signature'] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('X-Slack-Request-Timestamp is missing or no number.');
  if (!/^v0=[0-9a-f]{64}$/.test(signature))
    throw refused('X-Slack-Signature is missing or not of version v0.');
  const given = Buffer.from(signature.slice(3), 'hex');
  const secrets = [{ project: 'slack', secret: signingSecret }];
  if (matchingSecret(secrets, [`v0:${timestamp}:`, body], given) === null) {
    throw refused('X-Slack-Signature does not belong to this request and SLACK_SIGNING_SECRET.');
  }
  if (Math.abs(receivedAt / 1_000 - Number(timestamp)) > WINDOW_SECONDS) {
    throw refused('X-Slack-Request-Timestamp is more than 5 minutes away; is a clock wrong?');
  }
  return signature;
}

export function refused(detail: string): CulpritError {
  return new CulpritError('unauthenticated', detail);
}
