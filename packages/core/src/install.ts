import { randomBytes } from 'node:crypto';
import type { Install } from './di/tokens.js';
import type { Values } from './ports/values.js';

const ALWAYS = '1970-01-01T00:00:00.000Z';

/**
 * Made once for each storage; a copied or restored storage keeps both, so it finds its own issues again however old
 * the copy is. A key that is given may be older than the storage, so nothing is known of its age.
 */
export async function keptInstall(values: Values, now: string, given?: string): Promise<Install> {
  if (given !== undefined) return { key: given, since: ALWAYS };
  const kept = await values.get('install-key');
  if (kept !== undefined) return { key: kept, since: (await values.get('installed-at')) ?? ALWAYS };
  if (values.setIfAbsent !== undefined) {
    // Of several processes that start at once one is first, and all take what it made.
    const since = await values.setIfAbsent('installed-at', now);
    return { key: await values.setIfAbsent('install-key', randomBytes(32).toString('hex')), since };
  }
  // The date first: a key without one would be taken for a key of any age.
  await values.set('installed-at', now);
  const made = randomBytes(32).toString('hex');
  await values.set('install-key', made);
  return { key: (await values.get('install-key')) ?? made, since: now };
}
