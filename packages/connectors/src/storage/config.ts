import { fileURLToPath } from 'node:url';
import { CulpritError } from '@culprit/core/connector';
import { storageSettings } from '@culprit/core/store';
import type { Keyv } from 'keyv';
import * as v from 'valibot';
import { positiveInteger } from '../shared/config.js';
import { sentinelRefusal } from './redis/server-facts.js';

export const storageConfig = v.strictObject({
  /** `memory:`, `file:<directory>`, `sqlite:<file>`, or `redis://` or `rediss://` with host, port and database. */
  url: v.pipe(v.string(), v.transform(placeOfUrl)),
  /** Entries that the status feed buffers for reconnecting readers. */
  feedEntries: v.optional(positiveInteger, 10_000),
  ...storageSettings,
  /**
   * Where caches are shared: a Keyv that nothing else uses, because erasing a person empties it. Default: Redis with `redis://`, else
   * each process caches in memory.
   */
  cache: v.optional(
    v.custom<Keyv<never>>(
      (value) => value instanceof Object && 'get' in value && 'clear' in value,
      'must be a Keyv',
    ),
  ),
  /** How long event ids are remembered to detect duplicates, in ms. Default 30 days. */
  eventIdMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60_000)), 30 * 24 * 60 * 60_000),
});

export type StorageLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'redis'; readonly url: string };

/** Throws `configuration` for an invalid storage URL. */
export function placeOfUrl(url: string): StorageLocation {
  if (url === 'memory:') return { kind: 'memory' };
  if (SENTINEL.test(url)) throw sentinelRefusal();
  if (/^rediss?:/.test(url)) return { kind: 'redis', url: checkedRedis(url) };
  const [, scheme, path = ''] = /^(file|sqlite):(.*)$/s.exec(url) ?? [];
  if (scheme === undefined)
    throw refuse(
      'must be "memory:", "file:<dir>" (such as "file:.culprit"), "sqlite:<file>" or "redis://host:port/0".',
    );
  const place = path.startsWith('//') ? pathOf(scheme, path) : path;
  const isFile = scheme === 'sqlite';
  if (place === '' || place.includes('\u0000'))
    throw refuse(isFile ? 'must name a file: "sqlite:<file>".' : 'must name a directory: "file:<dir>".');
  return isFile ? { kind: 'sqlite', file: place } : { kind: 'file', directory: place };
}

/** The usual ways to name sentinels: a scheme of their own, or several hosts. */
const SENTINEL = /^(?:rediss?[+-])?sentinel:|^rediss?:\/\/[^/]*,/i;

function pathOf(scheme: string, path: string): string {
  try {
    return fileURLToPath(`file:${path}`);
  } catch {
    throw refuse(`must be "${scheme}:<path>" or "${scheme}:///<absolute path>".`);
  }
}

function checkedRedis(url: string): string {
  const found = /^rediss?:\/\/[^/]/.test(url) && URL.canParse(url) ? new URL(url) : null;
  if (found !== null && found.hostname !== '' && /^\/?\d{0,4}$/.test(found.pathname)) return url;
  throw refuse('must be "redis://host:port/0", or "rediss://…" for TLS.');
}

function refuse(why: string): CulpritError {
  return new CulpritError('configuration', `Connector storage: url ${why}`, { path: 'url' });
}
