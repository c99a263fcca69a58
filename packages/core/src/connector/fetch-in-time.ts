const READS = ['GET', 'HEAD'];

const MOVED = [307, 308];
const MAX_MOVES = 3;

/**
 * Writes only while their limit lasts. A process that was stopped (SIGSTOP, a suspended machine) reads what had arrived before its
 * timers run, so an overdue limit has not aborted yet; by then another core may have taken over and written.
 */
export function fetchInTime(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const { method = 'GET', signal } = init ?? (input instanceof Request ? input : {});
    if (READS.includes(method)) return fetch(input, init);
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    return input instanceof Request || init?.redirect !== undefined
      ? fetch(input, init)
      : write(fetch, new URL(input), init);
  };
}

/** A server that moved something is followed, such as GitHub after a rename, but takes what is written to no other server. */
async function write(fetch: typeof globalThis.fetch, url: URL, init?: RequestInit): Promise<Response> {
  for (let at = url, moves = 0; ; moves++) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!MOVED.includes(response.status) || location === null || !URL.canParse(location, at.href))
      return response;
    const next = new URL(location, at);
    if (next.origin !== url.origin || moves === MAX_MOVES) return response;
    await response.body?.cancel();
    at = next;
  }
}
