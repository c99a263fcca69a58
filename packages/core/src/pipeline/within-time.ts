import { CulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';

export interface TimeParts {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Rejects with `explainer_failed` when the time is up, even if the work ignores its signal. */
export async function withinTime<T>(
  { ms, clock, signal }: TimeParts,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = clock.sleep(ms, AbortSignal.any([signal, stop.signal])).then(() => {
    const error = new CulpritError('explainer_failed', `no response within ${Math.round(ms / 1_000)} s`);
    stop.abort(error);
    throw error;
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, stop.signal])), late]);
  } finally {
    late.catch(() => {});
    stop.abort();
  }
}
