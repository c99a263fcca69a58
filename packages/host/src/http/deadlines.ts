export interface Deadlines {
  /** The time limit of a request. */
  ms(): number;
  /** Returns a function that removes the entry. */
  add(overdue: () => void, keepAlive: () => void): () => void;
  close(): void;
}

interface Entry {
  readonly due: number;
  readonly overdue: () => void;
  readonly keepAlive: () => void;
}

const SWEEP_MS = 4_000;

/**
 * One timer for all incoming requests. All have the same time limit unless it was changed, so the first added is the
 * first due. `keepAlive` is called at least every 4 s, because the native server has its own idle timeout; a
 * changed limit takes effect within that time.
 */
export function createDeadlines(ms: () => number): Deadlines {
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | null = null;
  const arm = (wait: number) => {
    timer = setTimeout(sweep, Math.min(Math.max(1, wait), SWEEP_MS));
  };
  const sweep = () => {
    timer = null;
    const now = performance.now();
    for (const entry of entries) {
      if (entry.due > now) entry.keepAlive();
      else {
        entries.delete(entry);
        entry.overdue();
      }
    }
    const first = entries.values().next().value;
    if (first) arm(first.due - now);
  };
  return {
    ms,
    add(overdue, keepAlive) {
      const entry = { due: performance.now() + ms(), overdue, keepAlive };
      entries.add(entry);
      if (timer === null) arm(ms());
      return () => entries.delete(entry);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      entries.clear();
    },
  };
}
