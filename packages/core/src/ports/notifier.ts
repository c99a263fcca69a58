import type { Run } from '../domain/run.js';

/**
 * Tells people. Law: called with a run's latest state after it has come to wait at a gate, or moved on; at least once for
 * each state that lasts, never twice at a time for one run. It must end within the signal's time and do no harm when
 * told the same again. A rejection is tried again after growing pauses (`retryAfterMs` is kept to) unless it is a
 * `notifier_failed` that is not retryable; it never holds a gate.
 */
export interface Notifier {
  notify(run: Run, signal: AbortSignal): Promise<void>;
}
