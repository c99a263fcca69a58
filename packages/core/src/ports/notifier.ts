import type { Run } from '../domain/run.js';

/**
 * Notifies people. Called with a run's latest state after it starts to wait at a gate or leaves it: at least once for
 * each lasting state, never concurrently for one run. It must end before the signal aborts and tolerate repeated calls
 * with the same state. A rejection is retried with growing delays (or after `retryAfterMs`), unless it is a
 * `notifier_failed` that is not retryable. It never blocks a gate.
 */
export interface Notifier {
  notify(run: Run, signal: AbortSignal): Promise<void>;
}
