/** Limits that have not been reached, each with the other signals it combines. */
const pending = new Set<readonly AbortSignal[]>();

/**
 * A signal that aborts with a `TimeoutError` after `ms`, or as soon as one of the others does, with its reason. Node 20
 * garbage-collects an `AbortSignal.timeout` that only `AbortSignal.any` refers to, and it then never aborts
 * (nodejs/node#57736), so all signals are held until the limit is reached.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  const held = [...others, limit];
  pending.add(held);
  limit.addEventListener('abort', () => pending.delete(held), { once: true });
  return others.length === 0 ? limit : AbortSignal.any(held);
}

/** Settles as the work does, or rejects with the signal's reason once it is aborted, even if the work ignores the signal. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
