export interface Deadlines {
  /** The time limit of a request. */
  ms(): number;
  add(request: Deadline): void;
  leave(request: Deadline): void;
  close(): void;
}

/** A request that must be complete in time. */
export interface Deadline {
  overdue(): void;
  keepAlive(): void;
}

const SWEEP_MS = 4_000;

/**
 * One timer for all incoming requests. All have the same time limit unless it was changed, so the first added is the
 * first due. `keepAlive` is called at least every 4 s, because the native server has its own idle timeout; a
 * changed limit takes effect within that time.
 */
export function createDeadlines(ms: () => number): Deadlines {
  /** When each is due. */
  const entries = new Map<Deadline, number>();
  let timer: NodeJS.Timeout | null = null;
  const arm = (wait: number) => {
    timer = setTimeout(sweep, Math.min(Math.max(1, wait), SWEEP_MS));
  };
  const sweep = () => {
    timer = null;
    const now = performance.now();
    for (const [request, due] of entries) {
      if (due > now) request.keepAlive();
      else {
        entries.delete(request);
        request.overdue();
      }
    }
    const first = entries.values().next().value;
    if (first !== undefined) arm(first - now);
  };
  return {
    ms,
    add(request) {
      entries.set(request, performance.now() + ms());
      if (timer === null) arm(ms());
    },
    leave: (request) => void entries.delete(request),
    close() {
      if (timer !== null) clearTimeout(timer);
      entries.clear();
    },
  };
}
