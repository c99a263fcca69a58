import { hmacSha256 } from './hmac.js';

/** Rules of https://github.com/standard-webhooks/standard-webhooks that apply to both directions. */

/** The key bytes of `whsec_<base64>`; the prefix is optional. */
export function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

/** The signed content: `id.timestamp.body`. */
export function webhookParts(
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): readonly (string | Uint8Array)[] {
  return [`${id}.${timestamp}.`, body];
}

/** A message to be signed. */
export interface MessageToSign {
  /** The same for every attempt; without a dot. */
  readonly id: string;
  /** Exactly as it is sent. */
  readonly body: string;
  /** Milliseconds since 1970: the time of this attempt. */
  readonly at: number;
  /** `whsec_…`. All sign, so that the receiver may know any of them while they rotate. */
  readonly secrets: readonly string[];
}

/** The headers of a signed message. */
export function webhookHeaders({ id, body, at, secrets }: MessageToSign): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = secrets.map(
    (secret) => `v1,${hmacSha256(webhookKey(secret), webhookParts(id, timestamp, body)).toString('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'culprit',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signed.join(' '),
  };
}
