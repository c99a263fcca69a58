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
 * The little that the run store needs of an ordered key-value engine. Law: `batch` is all or nothing and durable when
 * it resolves; `getMany` and `entries` each see one moment; keys are ASCII wherever their order matters; failures
 * reject with `storage_unavailable`.
 */
export interface KeyValue {
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** In ascending order of keys. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  batch(operations: readonly Operation[]): Promise<void>;
  /** Makes writing possible again after a `batch` rejected. What that batch held may be there afterwards, or not. */
  recover(): Promise<void>;
  close(): Promise<void>;
}
