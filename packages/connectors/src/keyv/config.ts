import { fileURLToPath } from 'node:url';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';

export const keyvConfig = v.strictObject({
  /** `memory:`, `file:` and a directory, or `redis://` and `rediss://` with host, port and database. */
  url: v.pipe(v.string(), v.transform(placeOfUrl)),
  /** How many entries the status feed keeps for readers that come back. */
  feedEntries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 10_000),
  /** How long an event id is known, so that a second delivery of it is a duplicate, in ms. Default 30 days. */
  eventIdMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60_000)), 30 * 24 * 60 * 60_000),
});

export type Place =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'redis'; readonly url: string };

/** Rejects what is not a storage address with `configuration`. */
export function placeOfUrl(url: string): Place {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^rediss?:/.test(url)) return { kind: 'redis', url: checkedRedis(url) };
  if (!url.startsWith('file:'))
    throw refuse('must be "memory:", "file:<dir>", such as "file:.culprit", or "redis://host:port/0".');
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

function checkedRedis(url: string): string {
  const found = /^rediss?:\/\/[^/]/.test(url) && URL.canParse(url) ? new URL(url) : null;
  if (found !== null && found.hostname !== '' && /^\/?\d{0,4}$/.test(found.pathname)) return url;
  throw refuse('must be "redis://host:port/0", or rediss:// with TLS.');
}

function refuse(why: string): CulpritError {
  return new CulpritError('configuration', `Connector storage: url ${why}`, { path: 'url' });
}
