import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with a session's id. The browser has the id and the storage only its hash, so whoever reads the storage cannot
 * read the text, and every core can while it answers that browser.
 */
export function seal(text: string, id: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(id), iv);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** `null` if it was sealed with another id, or is damaged. */
export function unseal(sealed: string, id: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, keyOf(id), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString();
  } catch {
    return null;
  }
}

/** Another hash than the storage key of the session. */
function keyOf(id: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', id, '', 'culprit.session.sealed', 32));
}
