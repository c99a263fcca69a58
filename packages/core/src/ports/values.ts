import type { Port } from '../domain/port.js';

/**
 * Keys with expiry, for evidence, caches and sessions. A resolved `set` is durable if the
 * storage is. An outage rejects with `storage_unavailable` and never looks like an absent key.
 */
export interface Values {
  get(key: string): Promise<string | undefined>;
  /** Without `ttlMs` the value is stored until deleted. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Reads and writes atomically, also across processes. `decide` receives the current value and returns the new one, or
   * `undefined` to leave it unchanged. It must be pure, because it is called again after a conflict. Resolves with the
   * resulting value. Without `ttlMs` a changed value is stored until deleted.
   */
  change(
    key: string,
    decide: (before: string | undefined) => string | undefined,
    ttlMs?: number,
  ): Promise<string | undefined>;
}
export const Values = Symbol('Values') as Port<Values>;
