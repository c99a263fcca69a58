const READS = ['GET', 'HEAD'];

/**
 * Writes only while their limit lasts. A process that was stopped (SIGSTOP, a suspended machine) reads what had arrived before its
 * timers run, so an overdue limit has not aborted yet; by then another core may have taken over and written.
 */
export function fetchInTime(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const { method = 'GET', signal } = init ?? (input instanceof Request ? input : {});
    if (!READS.includes(method)) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal?.throwIfAborted();
    }
    return fetch(input, init);
  };
}
