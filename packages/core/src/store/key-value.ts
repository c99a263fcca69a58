import { after } from './keys.js';

/** One change of a commit. */
export type Operation =
  /** `expiresAt`, in ms since 1970: only for a store that `expires`. */
  | { readonly type: 'put'; readonly key: string; readonly value: string; readonly expiresAt?: number }
  | { readonly type: 'del'; readonly key: string }
  /** Only for a shared store: adds to counts, unless they would exceed the quota in the value. See quota-ledger.ts. */
  | { readonly type: 'count'; readonly key: string; readonly value: string };

/** Keys strictly between `gt` and `lt`. */
export interface Range {
  readonly gt: string;
  readonly lt: string;
  readonly limit: number;
}

/** Versions of what was read, by key. A version is any text that changes with the value; that of an absent key is empty. */
export type Versions = Map<string, string>;

/** What is written at once. */
export interface Commit {
  readonly operations: readonly Operation[];
  /** Only for a shared store: what was read. If one of these keys has another version now, nothing may be written. */
  readonly expected: ReadonlyMap<string, string>;
  /** Only for a shared store: entries of the feed, which it numbers. It keeps the latest `keep`. */
  readonly feed: { readonly entries: readonly string[]; readonly keep: number };
}
/** The result of a commit. */
export interface Committed {
  /** Of a shared store: the number of the first entry of the feed that was added. */
  readonly feedFirst?: number;
}

/**
 * An ordered key-value engine: all that a storage has to provide. `commit` must be atomic, and durable when it resolves; `getMany` and
 * `entries` must each read one consistent state; failures must reject with `storage_unavailable`. Keys are any text; those whose order
 * matters are ASCII. A value may be several megabytes large.
 */
export interface KeyValue {
  /** In the order of the keys. A shared store sets the version of each key, unless `versions` has one of an earlier read. */
  getMany(keys: readonly string[], versions?: Versions): Promise<(string | undefined)[]>;
  /** In ascending order of keys. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  /** `null`: what was read has changed, so nothing was written. Only a shared store returns it. */
  commit(commit: Commit): Promise<Committed | null>;
  /** Makes the store writable again after a rejected `commit`, whose operations may or may not have been written. */
  recover(): Promise<void>;
  close(): Promise<void>;
  /** Set if the store removes what has expired by itself. */
  readonly expires?: true;
  /** Set if other processes use the store at the same time; absent: this process owns it. */
  readonly sharing?: Sharing;
}

/** What a store needs in addition so that several processes can use it. */
export interface Sharing {
  /** A number that no run of any process has. */
  number(): Promise<number>;
  /** Calls `joined` with the feed's position at each connect, first before it resolves, and `changed` when there may be new entries. */
  watch(listener: {
    joined(cursor: { readonly epoch: string; readonly sequence: number }): void;
    changed(): void;
  }): Promise<void>;
  /** Writes a value if its key is absent. Resolves with what is stored. */
  putIfAbsent(key: string, value: string): Promise<string>;
  /** Keys that begin with the prefix, in any order. Some may come twice while others write. */
  keys(prefix: string): AsyncIterable<readonly string[]>;
  /** The same with values. */
  walk(prefix: string): AsyncIterable<readonly (readonly [key: string, value: string])[]>;
}

/** What reads need. */
export type Reads = Pick<KeyValue, 'getMany' | 'entries'>;

const CHUNK = 1_000;

/** Every entry whose key begins with the prefix, in chunks. */
export async function* walk(
  store: KeyValue,
  prefix: string,
  limit = CHUNK,
): AsyncGenerator<readonly (readonly [key: string, value: string])[]> {
  if (store.sharing !== undefined) yield* store.sharing.walk(prefix);
  else yield* inOrder(store, { gt: prefix, lt: afterAll(prefix), limit });
}

/** The entries of one list in its order, in chunks. `list`: what its keys begin with; see `keys.activity`. */
export function walkList(
  store: Pick<KeyValue, 'entries'>,
  list: string,
  limit = CHUNK,
): AsyncGenerator<readonly (readonly [key: string, value: string])[]> {
  return inOrder(store, { gt: list, lt: after(list), limit });
}

async function* inOrder(
  store: Pick<KeyValue, 'entries'>,
  { gt, lt, limit }: Range,
): AsyncGenerator<readonly (readonly [key: string, value: string])[]> {
  for (let from = gt; ; ) {
    const entries = await store.entries({ gt: from, lt, limit });
    if (entries.length > 0) yield entries;
    if (entries.length < limit) return;
    from = entries.at(-1)?.[0] ?? from;
  }
}

/** The next text that does not begin with the prefix. */
function afterAll(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

/** Every key that begins with the prefix, in chunks. */
export async function* walkKeys(store: KeyValue, prefix: string): AsyncGenerator<readonly string[]> {
  if (store.sharing !== undefined) return yield* store.sharing.keys(prefix);
  for await (const entries of walk(store, prefix)) yield entries.map(([key]) => key);
}
