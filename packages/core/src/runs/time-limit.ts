/** Limits that have yet to be reached, each with what else may end the work. */
const pending = new Set<readonly AbortSignal[]>();

/**
 * Aborts with a `TimeoutError` after `ms`, or with what one of the others aborts with. Node 20 forgets a signal that only
 * `AbortSignal.any` follows when it collects garbage, and an `AbortSignal.timeout` then never aborts (nodejs/node#57736):
 * whoever hung would hang for good. Here all of them are held until the limit is reached.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  const held = [...others, limit];
  pending.add(held);
  limit.addEventListener('abort', () => pending.delete(held), { once: true });
  return others.length === 0 ? limit : AbortSignal.any(held);
}

/** The work's end, or the signal's reason as soon as it is aborted: who does not listen to signals holds nobody up. */
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
