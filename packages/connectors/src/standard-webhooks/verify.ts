import type { RawDelivery, Verification } from '@culprit/core';
import { matchingSecret } from '../shared/hmac.js';
import { webhookKey, webhookParts } from '../shared/standard-webhooks.js';
import type { StandardWebhooksConfig } from './config.js';

const refuse = (reason: string): Verification => ({ ok: false, status: 401, reason });
/** Ids contain no dot, because dots separate the signed parts. */
const ID = /^[^\s.]{1,256}$/;
/** Maximum signatures read from the header: senders include one per active key. */
const SIGNATURES = 10;

/** Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, as space-separated `v1,<base64>`. */
export function webhookVerifier(config: StandardWebhooksConfig): (delivery: RawDelivery) => Verification {
  const secrets = config.secrets.map(({ project, secret }) => ({
    project,
    secret: webhookKey(secret),
  }));
  return ({ headers, body, receivedAt }) => {
    const id = headers['webhook-id'] ?? '';
    const timestamp = headers['webhook-timestamp'] ?? '';
    if (!ID.test(id)) return refuse('The header webhook-id is missing or contains a dot.');
    if (!/^\d{1,12}$/.test(timestamp))
      return refuse('The header webhook-timestamp must be seconds since 1970.');
    const given = signaturesOf(headers['webhook-signature'] ?? '');
    if (given.length === 0) return refuse('The header webhook-signature must contain v1,<base64>.');
    const found = matchingSecret(secrets, webhookParts(id, timestamp, body), ...given);
    if (found === null) return refuse('No signature matches an active secret.');
    if (Math.abs(receivedAt / 1000 - Number(timestamp)) > config.toleranceSeconds) {
      return refuse(
        'The header webhook-timestamp differs too much from the current time. Check the server’s clock.',
      );
    }
    return { ok: true, project: found.project, credential: found.credential };
  };
}

/** Signatures of version 1 and of the right length; other versions (`v1a`) are ignored. */
function signaturesOf(header: string): readonly Uint8Array[] {
  return header
    .slice(0, 4096)
    .split(' ')
    .filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
    .slice(0, SIGNATURES)
    .map((part) => Buffer.from(part.slice(3), 'base64'));
}
