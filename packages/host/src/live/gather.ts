/**
 * Pause between two publications. One costs up to 10 µs of system time for each reader, so the gates keep most of the time;
 * what comes meanwhile is written to each reader at once.
 */
const PAUSE = { msPerReader: 0.05, mostMs: 250 } as const;

export interface Gatherer<Item> {
  add(item: Item): void;
  close(): void;
}

/** Passes on at once what comes alone; after it the next ones are gathered for a while, longer with more readers. */
export function createGatherer<Item>(
  readers: () => number,
  pass: (items: readonly Item[]) => void,
): Gatherer<Item> {
  let gathered: Item[] = [];
  let pause: NodeJS.Timeout | null = null;
  const flush = () => {
    pause = null;
    if (gathered.length === 0) return;
    const items = gathered;
    gathered = [];
    const ms = Math.min(PAUSE.mostMs, readers() * PAUSE.msPerReader);
    if (ms >= 1) pause = setTimeout(flush, ms).unref();
    pass(items);
  };
  return {
    add(item) {
      gathered.push(item);
      if (pause === null) flush();
    },
    close() {
      if (pause !== null) clearTimeout(pause);
      pause = null;
      gathered = [];
    },
  };
}
