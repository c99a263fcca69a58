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
