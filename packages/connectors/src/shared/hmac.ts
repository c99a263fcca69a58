import { createHmac, timingSafeEqual } from 'node:crypto';

export interface HmacSecret {
  readonly project: string;
  /** The key: text, or bytes. */
  readonly secret: string | Uint8Array;
}

export function hmacSha256(secret: string | Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** The owner of the secret that made this HMAC-SHA256, or `null`. Takes constant time: every secret is tried. */
export function matchingSecret(
  secrets: readonly HmacSecret[],
  parts: readonly (string | Uint8Array)[],
  ...given: readonly Uint8Array[]
): { readonly project: string; readonly credential: string } | null {
  let found: { readonly project: string; readonly credential: string } | null = null;
  for (const [index, { project, secret }] of secrets.entries()) {
    const expected = hmacSha256(secret, parts);
    for (const signature of given) {
      const same = signature.length === expected.length && timingSafeEqual(expected, signature);
      if (same) found ??= { project, credential: `${project}/secret-${index + 1}` };
    }
  }
  return found;
}
