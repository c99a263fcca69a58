import type { Port } from '../domain/port.js';
import type { Run } from '../domain/run.js';
import type { RunStory } from '../domain/story.js';

/**
 * Notifies people. Called with a run's latest state after it starts to wait at a gate or leaves it: at least once for
 * each lasting state, never concurrently for one run. It must end before the signal aborts and tolerate repeated calls
 * with the same state. A rejection is retried with increasing delays (or after `retryAfterMs`), unless it is a
 * `notifier_failed` that is not retryable. It never blocks a gate. `story`: of a crash that came back; absent: it did not.
 * `trailer`: what publishing adds to the body of the draft; absent: nothing waits to be published.
 */
export interface Notifier {
  notify(run: Run, signal: AbortSignal, story?: RunStory, trailer?: string): Promise<void>;
  /**
   * Adds a reviewer's comment to what `notify` shows of the run. Called after `notify`, oldest comment first, at least once for
   * each, with the same rules. Absent: comments are not sent, and `notify` is not called for them or for claims.
   */
  comment?(run: Run, comment: RunComment, signal: AbortSignal): Promise<void>;
}

/** A notifier with the id of its connector. */
export interface ConnectedNotifier {
  readonly id: string;
  readonly notifier: Notifier;
}
export const Notifiers = Symbol('Notifiers') as Port<readonly ConnectedNotifier[]>;

/** A reviewer's comment, as the history has it. */
export interface RunComment {
  /** Of its history entry: unique within the run. */
  readonly sequence: number;
  readonly by: string;
  /** Sanitised, at most 2,000 characters. */
  readonly text: string;
}
