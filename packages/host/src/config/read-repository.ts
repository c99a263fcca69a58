import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Local paths become absolute. What reads as `owner/name` stays as it is, unless such a folder exists. */
export function readRepository(text: string | null, cwd: string): string | null {
  if (text === null) return null;
  if (text === '~' || text.startsWith('~/')) return resolve(homedir(), text.slice(2));
  const local = resolve(cwd, text);
  return /^[\w-]+\/[\w.-]+$/.test(text) && !existsSync(local) ? text : local;
}
