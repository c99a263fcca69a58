/**
 * Plain keys with expiry, for evidence, caches and sessions. Law: a resolved `set` is durable where the
 * storage is durable; an outage rejects with `storage_unavailable` and never looks like an absent key.
 */
export interface Values {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` absent: kept until deleted. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Sets what is not there, atomically, and answers what is there then. Offered by storages that several processes share. */
  setIfAbsent?(key: string, value: string): Promise<string>;
}
