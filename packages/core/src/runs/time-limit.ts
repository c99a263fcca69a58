/** Limits that have yet to be reached. */
const pending = new Set<AbortSignal>();

/**
 * Aborts with a `TimeoutError` after `ms`, or with what one of the others aborts with. Node 20 forgets an
 * `AbortSignal.timeout` that only `AbortSignal.any` follows when it collects garbage, and then it never aborts
 * (nodejs/node#57736): whoever hung would hang for good. Here it is held until it is reached.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  pending.add(limit);
  limit.addEventListener('abort', () => pending.delete(limit), { once: true });
  return others.length === 0 ? limit : AbortSignal.any([...others, limit]);
}
