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
