import { LRUCache } from 'lru-cache';

/** A map of limited size: adding beyond it removes the entry that was used least recently. */
export type BoundedMap<Key extends {}, Value extends {}> = Pick<
  LRUCache<Key, Value>,
  'get' | 'has' | 'delete' | 'clear' | 'size' | 'keys' | 'values' | 'entries'
> & {
  set(key: Key, value: Value): unknown;
};

/** Creates a map that evicts its least recently used entry when full. */
export function boundedMap<Key extends {}, Value extends {}>(maxEntries: number): BoundedMap<Key, Value> {
  return new LRUCache<Key, Value>({ max: maxEntries });
}
