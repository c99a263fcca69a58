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
  // Of several processes that start at once one is first, and all take what it made. The date comes before the key: a
  // key without one would be taken for a key of any age.
  const since = await values.change('installed-at', (before) => (before === undefined ? now : undefined));
  const made = randomBytes(32).toString('hex');
  const key = await values.change('install-key', (before) => (before === undefined ? made : undefined));
  return { key: key ?? made, since: since ?? now };
}
