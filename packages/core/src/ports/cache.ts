import type { Port } from '../domain/port.js';

/**
 * Where caches keep answers that can be had again, shared by all of them: a Keyv, or what looks like one. Must never be the only place of
 * anything, because an entry may be gone at any time. Connectors give each cache a namespace of its own.
 */
export interface CacheStore {
  get(key: string): Promise<unknown>;
  /** `ttlMs`: how long the entry may be used. */
  set(key: string, value: unknown, ttlMs: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Also removes what other processes cached here. */
  clear(): Promise<unknown>;
}
export const CacheStore = Symbol('CacheStore') as Port<CacheStore | null>;
