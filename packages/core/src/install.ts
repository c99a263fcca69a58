import { randomBytes } from 'node:crypto';
import type { Values } from './ports/values.js';
import type { Install } from './runs/services.js';

const ALWAYS = '1970-01-01T00:00:00.000Z';

/**
 * Generated once per storage. A copied or restored storage has the same values, so it finds its own issues however old
 * the copy is. A configured key may be older than the storage, so its age is unknown.
 */
export async function keptInstall(values: Values, now: string, given?: string): Promise<Install> {
  if (given !== undefined) return { key: given, since: ALWAYS };
  const kept = await values.get('install-key');
  if (kept !== undefined) return { key: kept, since: (await values.get('installed-at')) ?? ALWAYS };
  // If several processes start at once, all use the values of the first. The date is written before the key: a
  // key without a date would count as a key of unknown age.
  const since = await values.change('installed-at', (before) => (before === undefined ? now : undefined));
  const made = randomBytes(32).toString('hex');
  const key = await values.change('install-key', (before) => (before === undefined ? made : undefined));
  return { key: key ?? made, since: since ?? now };
}
