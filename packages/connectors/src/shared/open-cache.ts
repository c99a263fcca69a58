import { EventEmitter } from 'node:events';
import type { Check, ConnectorContext } from '@culprit/core/connector';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { LRUCache } from 'lru-cache';

/** A cache's name and limits. */
export interface CacheOptions {
  /** Change it when the shape of the entries changes. */
  readonly namespace: string;
  /** How long an entry may be used. */
  readonly ttlMs: number;
  /** Maximum number of entries in memory. */
  readonly entries: number;
  /** Never shared: entries are large, or cannot be written as JSON. */
  readonly local?: true;
}

/** A Keyv of `T`. */
export interface Cache<T extends {}> {
  /** `undefined` if there is no entry, or if it cannot be read. */
  get(key: string): Promise<T | undefined>;
  set(key: string, entry: T): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** The entries of those items that have one. */
  known<Item extends string>(items: readonly Item[], key: (item: Item) => string): Promise<Map<Item, T>>;
  /**
   * The entry, or else the answer of `ask`, which is kept unless it is `null` or `isFinal` says no: then the next call asks again.
   */
  through<Answer extends T | null>(
    key: string,
    ask: () => Promise<Answer>,
    isFinal?: (entry: T) => boolean,
  ): Promise<T | Answer>;
}

/** What of a connector's context a cache needs. Without `cache` it is kept in memory. */
export type CacheContext = Pick<ConnectorContext, 'cache' | 'logger'>;

type Lifetime = Pick<CacheOptions, 'ttlMs'>;
/** Of answers about a commit, which never change. */
export const IMMUTABLE: Lifetime = { ttlMs: 6 * 60 * 60_000 };
/** Of answers to which something may be added: pull requests, tags. */
export const GROWING: Lifetime = { ttlMs: 10 * 60_000 };

/** Longer entries are not shared, in characters of JSON. */
const MAX_CHARS = 512 * 1024;

/**
 * Opens a cache: a Keyv with its own namespace and time to live, where the engine's caches are shared, otherwise in memory. A cache
 * that fails costs a request, never an analysis.
 */
export function openCache<T extends {}>(
  { cache, logger }: CacheContext,
  { namespace, ttlMs, entries, local }: CacheOptions,
): Cache<T> {
  const memory = inMemory<T>(namespace, ttlMs, entries);
  let shared: Keyv<T> | null = null;
  const keyv = (): Keyv<T> => {
    const place = local ? null : (cache?.() ?? null);
    if (place === null) return memory;
    shared ??= new Keyv<T>({ store: within(place, ttlMs), namespace, ttl: ttlMs, throwOnErrors: true });
    return shared;
  };
  const ignoringErrors = <R>(work: Promise<R>): Promise<R | undefined> =>
    work.catch((error: unknown) => {
      logger.warn({ err: error, cache: namespace }, 'the cache failed');
      return undefined;
    });
  const get = (key: string) => ignoringErrors(keyv().get<T>(key));
  const set = (key: string, entry: T) => ignoringErrors(keyv().set(key, entry));
  return {
    get,
    set,
    delete: (key) => ignoringErrors(keyv().delete(key)),
    async known(items, key) {
      const found = await Promise.all(items.map((item) => get(key(item))));
      return new Map(items.flatMap((item, index) => (found[index] ? [[item, found[index]] as const] : [])));
    },
    async through(key, ask, isFinal = () => true) {
      const kept = await get(key);
      if (kept !== undefined) return kept;
      const entry = await ask();
      if (entry !== null && isFinal(entry)) await set(key, entry);
      return entry;
    },
  };
}

/** The caches of one code host: their names begin with its own. */
export function cachesOf(context: CacheContext, host: string) {
  return <T extends {}>(name: string, entries: number, kind: Omit<CacheOptions, 'namespace' | 'entries'>) =>
    openCache<T>(context, { namespace: `${host}.${name}`, entries, ...kind });
}

/** The least recently used entries go first. Entries are kept as they are, without JSON. */
function inMemory<T>(namespace: string, ttl: number, max: number): Keyv<T> {
  const kept = new LRUCache<string, { readonly entry: unknown }>({ max });
  const store: KeyvStoreAdapter = Object.assign(new EventEmitter(), {
    opts: {},
    get: async (key: string) => kept.get(key)?.entry as never,
    // By a clock that nobody sets back.
    set: async (key: string, entry: unknown) => void kept.set(key, { entry }, { ttl }),
    delete: async (key: string) => kept.delete(key),
    clear: async () => kept.clear(),
  });
  const keyv = new Keyv<T>({ store, namespace, ttl });
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return keyv;
}

/** One namespace of the place that all caches share. */
function within(place: CacheStore, ttlMs: number): KeyvStoreAdapter {
  return Object.assign(new EventEmitter(), {
    opts: {},
    get: async (key: string) => (await place.get(key)) as never,
    set: async (key: string, text: string) =>
      text.length > MAX_CHARS ? undefined : place.set(key, text, ttlMs),
    delete: async (key: string) => (await place.delete(key)) !== false,
    clear: async () => void (await place.clear()),
  });
}

/** `/readyz` is probed every few seconds. A good result of this age is reused and costs no requests. */
const GOOD_FOR_MS = 60_000;

/** Reuses a good result for a minute, warnings included; a bad one is checked again. */
export function keptWhileGood(
  context: CacheContext,
  check: (signal: AbortSignal) => Promise<readonly Check[]>,
): (signal: AbortSignal) => Promise<readonly Check[]> {
  const kept = openCache<readonly Check[]>(context, {
    namespace: 'checks',
    ttlMs: GOOD_FOR_MS,
    entries: 1,
    // Of this process's own network and credentials.
    local: true,
  });
  const isGood = (checks: readonly Check[]) => checks.every(({ ok, optional }) => ok || optional === true);
  return (signal) => kept.through('all', () => check(signal), isGood);
}
