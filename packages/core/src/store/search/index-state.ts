import type { KeyValue } from '../key-value.js';
import { keys } from '../keys.js';
import { BLOCK } from './postings.js';

/** How far the index reaches. */
export interface IndexState {
  /** The first block that may hold runs. */
  readonly first: number;
  /** Blocks before this one are sealed: their terms are in buckets. Documents of later ones are read. */
  readonly sealed: number;
  /** All run numbers are smaller. */
  readonly numbers: number;
  /** Every stored run is in the index; its users may not be counted yet. */
  readonly complete: boolean;
  /** And its users are counted. */
  readonly users: boolean;
}

/** Version 1 had no order by users. */
export const INDEX_VERSION = '2';

export async function readIndexState(store: Pick<KeyValue, 'getMany'>): Promise<IndexState> {
  const [sealed, numbers, complete] = await store.getMany([keys.sealed, keys.numbers, keys.indexed]);
  return {
    ...blocksOfText(sealed),
    numbers: Number(numbers ?? 0),
    complete: complete !== undefined,
    users: complete === INDEX_VERSION,
  };
}

/** `<first> <sealed>` */
export function blocksOfText(text: string | undefined): Pick<IndexState, 'first' | 'sealed'> {
  const [first = 0, sealed = 0] = (text ?? '0 0').split(' ').map(Number);
  return { first, sealed };
}

export function blockOf(number: number): number {
  return Math.floor(number / BLOCK);
}
