import { fileURLToPath } from 'node:url';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';

export const keyvConfig = v.strictObject({
  /** `memory:`, or `file:` and a directory. */
  url: v.pipe(v.string(), v.transform(placeOfUrl)),
  /** How many entries the status feed keeps for readers that come back. */
  feedEntries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 10_000),
});

export type Place = { readonly kind: 'memory' } | { readonly kind: 'file'; readonly directory: string };

/** Rejects what is not a storage address with `configuration`. */
export function placeOfUrl(url: string): Place {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^rediss?:/.test(url)) {
    throw refuse('does not speak redis:// yet: a later version shares runs through Redis. Use file:<dir>.');
  }
  if (!url.startsWith('file:')) throw refuse('must be "memory:" or "file:<dir>", such as "file:.culprit".');
  const directory = directoryOf(url);
  if (directory === '' || directory.includes('\u0000')) throw refuse('names no directory: "file:<dir>".');
  return { kind: 'file', directory };
}

function directoryOf(url: string): string {
  if (!url.startsWith('file://')) return url.slice('file:'.length);
  try {
    return fileURLToPath(url);
  } catch {
    throw refuse('must be "file:<dir>" or "file:///<absolute dir>".');
  }
}

function refuse(why: string): CulpritError {
  return new CulpritError('configuration', `Connector storage: url ${why}`, { path: 'url' });
}
