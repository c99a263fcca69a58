import { setTimeout as delay } from 'node:timers/promises';

/** Polls until there is a result. Returns `null` on a timeout; rejects when the signal is aborted. */
export async function waitUntil<T>(
  ask: () => Promise<T | null>,
  options: { readonly everyMs: number; readonly forMs: number; readonly signal?: AbortSignal },
): Promise<T | null> {
  const deadline = performance.now() + options.forMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() >= deadline) return null;
    await delay(options.everyMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}
