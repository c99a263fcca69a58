/** Rejects with the signal's reason if it is aborted before the work starts. */
export type Semaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs at most `max` pieces of work at once; the others wait in order. */
export function semaphore(max: number): Semaphore {
  const waiting: (() => void)[] = [];
  let active = 0;

  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      waiting.push(start);
      signal?.addEventListener('abort', leave, { once: true });
    });

  return async (work, signal) => {
    signal?.throwIfAborted();
    if (active < max) active += 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      // Passes the slot on directly, so that no later call can take it first.
      const next = waiting.shift();
      if (next) next();
      else active -= 1;
    }
  };
}
