import { keyedMutex, mutex } from '@culprit/core/internal/resilience/mutex';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';

/** Bodies of fewer bytes, as received, are handled at once: even the worst takes a few milliseconds. */
export const LIGHT_BYTES = 16_384;
/** Heavy deliveries that are unpacked and in memory at once; each sender has one of them. */
const MAX_HEAVY = 4;
/** Milliseconds of work after which others get as long a time. */
const SHORT_MS = 5;

/** Spreads the work of heavy deliveries, so that a flood of them delays others by one piece of work and not by all. */
export interface FairWork {
  /** Runs `act` when it is the sender's turn. Of one sender, and of {@link MAX_HEAVY} at most, one runs at a time. */
  delivery<T>(sender: string, act: () => Promise<T>): Promise<T>;
  /** Runs `work` when no other piece of work runs; between two, the event loop turns, for as long as the first took. */
  piece<T>(work: () => T): Promise<T>;
}

export function createFairWork(): FairWork {
  const bySender = keyedMutex<string>();
  const heavy = semaphore(MAX_HEAVY);
  const one = mutex();
  return {
    delivery: (sender, act) => bySender(sender, () => heavy(act)),
    piece: (work) =>
      new Promise((resolve, reject) => {
        void one(async () => {
          const from = performance.now();
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
          await pause(performance.now() - from);
        });
      }),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms < SHORT_MS) setImmediate(resolve);
    else setTimeout(resolve, ms);
  });
}
