import { CulpritError } from '@culprit/core';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failureLimit: number;
  readonly coolDownMs: number;
  /** Milliseconds that only grow; not the time of day. */
  readonly now: () => number;
}

export interface Breaker {
  /**
   * Runs the work unless the breaker is open: then rejects at once with `explainer_failed`. After the cool-down one call is
   * let through; if it succeeds the breaker closes, else it opens anew. `counts` says which failures are the server's.
   */
  run<T>(work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T>;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** Keeps a server that does not answer from costing every analysis its whole budget. */
export function createBreaker({ failureLimit, coolDownMs, now }: BreakerOptions): Breaker {
  let failures = 0;
  let openedAt: number | null = null;
  let trying = false;
  const state = () => (openedAt === null ? 'closed' : now() - openedAt >= coolDownMs ? 'half_open' : 'open');

  return {
    get state() {
      return state();
    },
    async run(work, counts) {
      const before = state();
      if (before === 'open' || (before === 'half_open' && trying)) throw refused(openedAt, coolDownMs, now());
      trying = before === 'half_open';
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
        if (before === 'half_open') trying = false;
      }
    },
  };
}

function refused(openedAt: number | null, coolDownMs: number, now: number): CulpritError {
  const seconds = Math.max(1, Math.ceil(((openedAt ?? now) + coolDownMs - now) / 1_000));
  return new CulpritError(
    'explainer_failed',
    `it failed several times in a row and is left alone; the next try is in ${seconds} s`,
  );
}
