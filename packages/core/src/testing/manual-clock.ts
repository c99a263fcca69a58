import type { Clock } from '../ports/clock.js';

/** A clock that a test advances. */
export interface ManualClock extends Clock {
  /** Advances the time. Sleepers wake in the order they are due, each at its own time, and may sleep again meanwhile. */
  advance(ms: number): Promise<void>;
  /** Number of current sleepers. */
  sleeping(): number;
  /** Resolves when at least `count` sleepers are waiting. */
  untilSleeping(count?: number): Promise<void>;
}

interface Sleeper {
  readonly due: number;
  wake(): void;
}

/** Creates a clock that advances only when the test calls `advance`. */
export function manualClock(startIso = '2026-01-05T09:00:00.000Z'): ManualClock {
  let now = Date.parse(startIso);
  const sleepers: Sleeper[] = [];
  const watchers: { readonly count: number; readonly resolve: () => void }[] = [];

  const remove = (sleeper: Sleeper) => {
    const at = sleepers.indexOf(sleeper);
    if (at >= 0) sleepers.splice(at, 1);
  };
  const add = (sleeper: Sleeper) => {
    const later = sleepers.findIndex(({ due }) => due > sleeper.due);
    sleepers.splice(later < 0 ? sleepers.length : later, 0, sleeper);
    for (const watcher of watchers.splice(0)) {
      if (sleepers.length >= watcher.count) watcher.resolve();
      else watchers.push(watcher);
    }
  };

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          remove(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          due: now + Math.max(0, ms),
          wake: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        add(sleeper);
      }),
    advance: async (ms) => {
      const target = now + ms;
      for (;;) {
        const next = sleepers[0];
        if (next === undefined || next.due > target) break;
        sleepers.shift();
        now = Math.max(now, next.due);
        next.wake();
        await settle();
      }
      now = target;
      await settle();
    },
    sleeping: () => sleepers.length,
    untilSleeping: (count = 1) =>
      new Promise((resolve) => {
        if (sleepers.length >= count) resolve();
        else watchers.push({ count, resolve });
      }),
  };
}

/** Runs everything that waits only for promises. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
