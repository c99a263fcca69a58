import type { ValueKey } from '../erase/erase-values.js';
import type { KeyValue } from '../run-store/key-value.js';
import { EXPORTED_FAMILIES } from './record-check.js';

/** One record of a storage of any kind. Activity lists and the feed are excluded: they are rebuilt. */
export type Kept =
  | { readonly key: string; readonly text: string }
  /** `expires` in ms since 1970; 0: never. */
  | { readonly value: string; readonly text: string; readonly expires: number };

export interface Dump {
  /** Every run in the storage, in a list or not. Some may appear twice while other processes write. */
  runIds(): AsyncIterable<string>;
  /** Approximate number of records, for a progress bar. */
  count(): Promise<number>;
  /** Values whose keys begin with one of these words and a colon. */
  valueKeys(families: readonly string[]): AsyncIterable<ValueKey>;
  /** Watermarks first, so that a copy taken while others write counts nothing twice. */
  all(): AsyncIterable<Kept>;
}

const CHUNK = 1_000;
/** Values may be large. */
const VALUES = 50;

/** The keys of the values in the store's own database, with their families' texts read in small chunks. */
export async function* levelValueKeys(
  store: Pick<KeyValue, 'entries'>,
  families: readonly string[],
): AsyncGenerator<ValueKey> {
  for (const family of families) {
    const start = `v/${family}:`;
    for (let gt = start; ; ) {
      const entries = await store.entries({ gt, lt: `${start}\u{10ffff}`, limit: VALUES });
      for (const [key, stored] of entries) {
        yield { key: key.slice(2), expires: Number(stored.slice(0, stored.indexOf(' '))) };
      }
      if (entries.length < VALUES) break;
      gt = entries.at(-1)?.[0] ?? gt;
    }
  }
}

export function levelDump(store: KeyValue): Dump {
  const walk = async function* (start: string) {
    for (let gt = start; ; ) {
      const entries = await store.entries({ gt, lt: `${start.slice(0, -1)}0`, limit: CHUNK });
      yield* entries;
      if (entries.length < CHUNK) return;
      gt = entries.at(-1)?.[0] ?? gt;
    }
  };
  return {
    runIds: async function* () {
      for await (const [key] of walk('h/')) yield key.slice(2);
    },
    count: async () => {
      let heads = 0;
      for await (const _ of walk('h/')) heads += 1;
      return heads;
    },
    valueKeys: (families) => levelValueKeys(store, families),
    all: async function* () {
      for (const family of EXPORTED_FAMILIES) {
        for await (const [key, text] of walk(family)) yield { key, text };
      }
      for await (const [key, stored] of walk('v/')) {
        const at = stored.indexOf(' ');
        yield { value: key.slice(2), text: stored.slice(at + 1), expires: Number(stored.slice(0, at)) };
      }
    },
  };
}
