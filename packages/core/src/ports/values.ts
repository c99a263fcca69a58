/**
 * Plain keys with expiry, for evidence, caches and sessions. Law: a resolved `set` is durable where the
 * storage is durable; an outage rejects with `storage_unavailable` and never looks like an absent key.
 */
export interface Values {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` absent: kept until deleted. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Reads and writes in one step, also where several processes share the storage. `decide` is told what is there and
   * answers what is to be there; `undefined`: it stays as it is. Asked again where another was faster, so it only
   * decides. Resolves with what is there then. Without `ttlMs` a changed value is kept until deleted.
   */
  change(
    key: string,
    decide: (before: string | undefined) => string | undefined,
    ttlMs?: number,
  ): Promise<string | undefined>;
}
