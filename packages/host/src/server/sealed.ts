import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts bytes with a key of 32 bytes. */
export function sealBytes(plain: Uint8Array, key: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** Throws if they were sealed with another key, or are damaged. */
export function unsealBytes(sealed: Uint8Array, key: Uint8Array): Buffer {
  const authTagLength = TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength });
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

/**
 * Encrypts a text with a session's id. The browser has the id and the storage only its hash, so a reader of the storage cannot
 * read the text, and every core can while it answers that browser.
 */
export function seal(text: string, id: string): string {
  return sealBytes(Buffer.from(text), keyOf(id)).toString('base64url');
}

/** `null` if it was sealed with another id, or is damaged. */
export function unseal(sealed: string, id: string): string | null {
  try {
    return unsealBytes(Buffer.from(sealed, 'base64url'), keyOf(id)).toString();
  } catch {
    return null;
  }
}

/** Another hash than the storage key of the session. */
function keyOf(id: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', id, '', 'culprit.session.sealed', 32));
}
