import { randomBytes } from 'node:crypto';
import type { Values } from '../ports/values.js';

/** Identifies this installation's publications, permanently. */
export class Install {
  constructor(
    /** Key of the publication markers. */
    readonly key: string,
    /** ISO 8601: no issue with a marker of this key is older. */
    readonly since: string,
  ) {}
}

const ALWAYS = '1970-01-01T00:00:00.000Z';

/**
 * Generated once per storage. A copied or restored storage has the same values, so it finds its own issues however old
 * the copy is. A configured key may be older than the storage, so its age is unknown.
 */
export async function keptInstall(values: Values, now: string, given?: string): Promise<Install> {
  if (given !== undefined) return new Install(given, ALWAYS);
  const kept = await values.get('install-key');
  if (kept !== undefined) return new Install(kept, (await values.get('installed-at')) ?? ALWAYS);
  // If several processes start at once, all use the values of the first. The date is written before the key: a
  // key without a date would count as a key of unknown age.
  const since = await values.change('installed-at', (before) => (before === undefined ? now : undefined));
  const made = randomBytes(32).toString('hex');
  const key = await values.change('install-key', (before) => (before === undefined ? made : undefined));
  return new Install(key ?? made, since ?? now);
}
