export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/** Keys strictly between `gt` and `lt`. */
export interface Range {
  readonly gt: string;
  readonly lt: string;
  readonly limit: number;
}

/**
 * What the run store needs of an ordered key-value engine. `batch` must be atomic, and durable when it resolves;
 * `getMany` and `entries` must each read one consistent state; keys whose order matters are ASCII; failures reject with
 * `storage_unavailable`.
 */
export interface KeyValue {
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** In ascending order of keys. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  batch(operations: readonly Operation[]): Promise<void>;
  /** Makes the store writable again after a rejected `batch`, whose operations may or may not have been written. */
  recover(): Promise<void>;
  close(): Promise<void>;
}
