/** What https://github.com/standard-webhooks/standard-webhooks says of both directions. */

/** The key's bytes of `whsec_<base64>`; the prefix may be left out. */
export function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

/** What is signed: `id.timestamp.body`. */
export function webhookParts(
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): readonly (string | Uint8Array)[] {
  return [`${id}.${timestamp}.`, body];
}
