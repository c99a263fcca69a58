/** The items in slices of at most `size`, in order. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Runs the work for every item, at most `size` at once. The results are in the order of the items. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const batch of batchesOf(items, size)) results.push(...(await Promise.all(batch.map(work))));
  return results;
}
