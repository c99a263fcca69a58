import type { KeyValue } from './key-value.js';

/** A {@link KeyValue} that is lost with the process. */
export function memoryKeyValue(from: readonly (readonly [key: string, value: string])[] = []): KeyValue {
  const values = new Map<string, string>();
  const order = sortedKeys();
  const put = (key: string, value: string) => {
    if (!values.has(key)) order.add(key);
    values.set(key, value);
  };
  for (const [key, value] of from) put(key, value);
  return {
    getMany: async (keys) => keys.map((key) => values.get(key)),
    entries: async ({ gt, lt, limit }) => {
      const found: [string, string][] = [];
      for (const key of order.between(gt, lt)) {
        if (found.length >= limit) break;
        found.push([key, values.get(key) ?? '']);
      }
      return found;
    },
    commit: async ({ operations }) => {
      for (const operation of operations) {
        const { key } = operation;
        if (operation.type !== 'del') put(key, operation.value);
        else if (values.delete(key)) order.remove(key);
      }
      return {};
    },
    recover: async () => {},
    close: async () => {},
  };
}

/** A sorted set of strings, stored in chunks so that adding or removing moves only one of them. */
export interface SortedKeys {
  add(key: string): void;
  remove(key: string): void;
  /** The strings strictly between `gt` and `lt`, ascending. */
  between(gt: string, lt: string): Iterable<string>;
}

export function sortedKeys(chunkSize = 1_024): SortedKeys {
  const chunks: string[][] = [];

  /** The last chunk that starts at or below the key, or the first chunk. */
  const chunkOf = (key: string): number =>
    Math.max(0, firstAbove(chunks.length, (at) => chunks[at]?.[0], key) - 1);
  const placeIn = (chunk: readonly string[], key: string): number =>
    firstAbove(chunk.length, (at) => chunk[at], key);

  return {
    add: (key) => {
      const at = chunkOf(key);
      const chunk = chunks[at];
      if (chunk === undefined) return void chunks.push([key]);
      const place = placeIn(chunk, key);
      if (chunk[place - 1] === key) return;
      chunk.splice(place, 0, key);
      if (chunk.length > chunkSize) chunks.splice(at + 1, 0, chunk.splice(chunkSize / 2));
    },
    remove: (key) => {
      const at = chunkOf(key);
      const chunk = chunks[at];
      const place = chunk === undefined ? 0 : placeIn(chunk, key) - 1;
      if (chunk?.[place] !== key) return;
      chunk.splice(place, 1);
      if (chunk.length === 0) chunks.splice(at, 1);
    },
    *between(gt, lt) {
      const first = chunkOf(gt);
      for (let at = first; at < chunks.length; at++) {
        const chunk = chunks[at] ?? [];
        for (let place = at === first ? placeIn(chunk, gt) : 0; place < chunk.length; place++) {
          const key = chunk[place] ?? '';
          if (key >= lt) return;
          yield key;
        }
      }
    },
  };
}

/** The first of `length` ascending positions whose string is above the key. */
function firstAbove(length: number, read: (at: number) => string | undefined, key: string): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((read(middle) ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
