/**
 * The delay between two publications. Each costs up to 10 µs of system time per reader, and the gates need most of that time.
 * Changes during the delay are written together.
 */
const PAUSE = { msPerReader: 0.05, mostMs: 250 } as const;

export interface Batcher<Item> {
  add(item: Item): void;
  close(): void;
}

/** Passes on the first item at once, and batches the following ones for a delay that grows with the number of readers. */
export function createBatcher<Item>(
  readers: () => number,
  pass: (items: readonly Item[]) => void,
): Batcher<Item> {
  let batch: Item[] = [];
  let pause: NodeJS.Timeout | null = null;
  const flush = () => {
    pause = null;
    if (batch.length === 0) return;
    const items = batch;
    batch = [];
    const ms = Math.min(PAUSE.mostMs, readers() * PAUSE.msPerReader);
    if (ms >= 1) pause = setTimeout(flush, ms).unref();
    pass(items);
  };
  return {
    add(item) {
      batch.push(item);
      if (pause === null) flush();
    },
    close() {
      if (pause !== null) clearTimeout(pause);
      pause = null;
      batch = [];
    },
  };
}
