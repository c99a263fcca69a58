/** Failures in a row after which the circuit is open. */
const OPENS_AFTER = 5;

export interface Breaker {
  state(): 'closed' | 'open';
  succeeded(): void;
  /** Returns how many milliseconds to wait before the next try. */
  failed(): number;
}

export interface BreakerOptions {
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

/**
 * Pauses between tries: they double from the first to the longest, with jitter, so that edges that failed together do
 * not come back together. The try after a pause carries nothing: who calls it asks first whether the other side is well.
 */
export function createBreaker({ firstPauseMs = 250, longestPauseMs = 30_000 }: BreakerOptions): Breaker {
  let failures = 0;
  return {
    state: () => (failures >= OPENS_AFTER ? 'open' : 'closed'),
    succeeded() {
      failures = 0;
    },
    failed() {
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      failures++;
      return pause * (0.5 + Math.random() / 2);
    },
  };
}
