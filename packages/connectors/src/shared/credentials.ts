import { hash, timingSafeEqual } from 'node:crypto';

/** A credential as it is kept for comparing: never the text itself. */
export type Fingerprinted = Buffer;

export function fingerprintOf(credential: string): Fingerprinted {
  return hash('sha256', credential, 'buffer');
}

/**
 * The entry whose credential was presented, or `null`. Constant time: both sides are hashed, all entries are
 * compared, also after a match. An empty presented credential matches nothing.
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
