export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** At most `max` at once; the rest wait in order, and stop waiting when their signal is aborted. */
export function createLimiter(max: number): Limiter {
  const waiting: (() => void)[] = [];
  let active = 0;

  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      waiting.push(go);
      signal.addEventListener('abort', abort, { once: true });
    });

  return async (work, signal) => {
    signal.throwIfAborted();
    if (active < max) active += 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else active -= 1;
    }
  };
}
