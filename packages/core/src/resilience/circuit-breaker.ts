/** When a circuit breaker opens and for how long. */
export interface CircuitBreakerOptions {
  /** Consecutive failures that open the circuit. */
  readonly failureLimit: number;
  readonly cooldownMs: number;
  /** Monotonic milliseconds, not the time of day. */
  readonly now: () => number;
  /** The error of a call that was not made because the circuit is open. */
  readonly refuse: (retryInMs: number) => Error;
}

/** Blocks calls to a service that keeps failing. */
export interface CircuitBreaker {
  /**
   * Rejects at once while the circuit is open. After the cooldown one call is let through: success closes the circuit,
   * failure opens it again. `counts` returns whether an error counts as a failure of the service.
   */
  run<T>(work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T>;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** Stops calling a service that keeps failing. */
export function circuitBreaker({
  failureLimit,
  cooldownMs,
  now,
  refuse,
}: CircuitBreakerOptions): CircuitBreaker {
  let failures = 0;
  let openedAt: number | null = null;
  let probing = false;
  const retryInMs = () => (openedAt === null ? 0 : openedAt + cooldownMs - now());
  const state = () => (openedAt === null ? 'closed' : retryInMs() > 0 ? 'open' : 'half_open');

  return {
    get state() {
      return state();
    },
    async run(work, counts) {
      const before = state();
      if (before === 'open' || (before === 'half_open' && probing)) throw refuse(Math.max(0, retryInMs()));
      probing = before === 'half_open';
      try {
        const result = await work();
        failures = 0;
        openedAt = null;
        return result;
      } catch (error) {
        if (counts(error)) {
          failures += 1;
          if (failures >= failureLimit || before === 'half_open') openedAt = now();
        }
        throw error;
      } finally {
        if (before === 'half_open') probing = false;
      }
    },
  };
}
