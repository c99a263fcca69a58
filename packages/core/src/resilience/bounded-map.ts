import { LRUCache } from 'lru-cache';

/** A map of limited size: adding beyond it removes the entry that was used least recently. */
export type BoundedMap<Key extends {}, Value extends {}> = Pick<
  LRUCache<Key, Value>,
  'get' | 'has' | 'delete' | 'clear' | 'size' | 'keys' | 'values' | 'entries'
> & {
  set(key: Key, value: Value): unknown;
};

/** A limit of all values together, in any unit. A larger value is not kept. */
export interface WeightLimit<Value> {
  readonly most: number;
  /** A positive integer. */
  readonly of: (value: Value) => number;
}

/** Creates a map that evicts its least recently used entries when full. */
export function boundedMap<Key extends {}, Value extends {}>(
  maxEntries: number,
  weight?: WeightLimit<Value>,
): BoundedMap<Key, Value> {
  if (weight === undefined) return new LRUCache<Key, Value>({ max: maxEntries });
  const { most, of } = weight;
  return new LRUCache<Key, Value>({ max: maxEntries, maxSize: most, sizeCalculation: of });
}
