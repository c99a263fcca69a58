import { hash, timingSafeEqual } from 'node:crypto';

/** A credential's fingerprint, kept for comparison instead of its text. */
export type Fingerprinted = Buffer;

export function fingerprintOf(credential: string): Fingerprinted {
  return hash('sha256', credential, 'buffer');
}

/**
 * The entry whose credential was presented, or `null`. Takes constant time: both sides are hashed and every entry is
 * compared, even after a match. An empty credential matches nothing.
 */
export function findCredential<Entry extends { readonly fingerprint: Fingerprinted }>(
  entries: readonly Entry[],
  presented: string,
): Entry | null {
  const given = fingerprintOf(presented);
  let found: Entry | null = null;
  for (const entry of entries) {
    if (timingSafeEqual(entry.fingerprint, given)) found ??= entry;
  }
  return presented === '' ? null : found;
}
