import { isCulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import { retryDelayMs } from '../resilience/retry-delay.js';
import type { Tasks } from '../runs/tasks.js';

/** Concurrent runs per notifier. */
const AT_ONCE = 4;
/** Maximum share by which jitter shortens a delay. */
const JITTER = 0.2;

export interface NotifyQueueParts {
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly pausesMs: readonly number[];
  /** One attempt for the run as it is now. */
  readonly attempt: (runId: string) => Promise<void>;
  /** Called after the last attempt has failed. */
  readonly givenUp: (runId: string, attempts: number, error: unknown) => Promise<void>;
}

interface Entry {
  place: 'ready' | 'busy' | 'paused';
  failures: number;
  /** The run changed during the attempt. */
  again: boolean;
}

export interface NotifyQueue {
  /** Queues the run for notification. Returns immediately. */
  add(runId: string): void;
}

/** Sends runs to one notifier: concurrent changes of a run are combined, failures are retried after a delay. */
export function notifyQueue(parts: NotifyQueueParts): NotifyQueue {
  const { clock, tasks, pausesMs } = parts;
  const entries = new Map<string, Entry>();
  const ready = new Set<string>();
  let active = 0;

  const makeReady = (runId: string, entry: Entry) => {
    entry.place = 'ready';
    ready.add(runId);
    pump();
  };
  const over = (runId: string, entry: Entry) => {
    entry.failures = 0;
    if (entry.again) makeReady(runId, entry);
    else entries.delete(runId);
  };
  const failed = async (runId: string, entry: Entry, error: unknown) => {
    if (tasks.signal.aborted) return;
    entry.failures += 1;
    const final = isCulpritError(error, 'notifier_failed') && !error.retryable;
    if (final || entry.failures > pausesMs.length) {
      await parts.givenUp(runId, entry.failures, error);
      return over(runId, entry);
    }
    entry.place = 'paused';
    const retryAfterMs = isCulpritError(error) ? error.retryAfterMs : undefined;
    const ms = retryDelayMs(pausesMs, entry.failures, { jitter: JITTER, retryAfterMs });
    tasks.start('notification pause', async (signal) => {
      const woken = await clock.sleep(ms, signal, true).then(
        () => true,
        () => false,
      );
      if (woken) makeReady(runId, entry);
    });
  };
  const run = async (runId: string, entry: Entry) => {
    entry.place = 'busy';
    entry.again = false;
    try {
      await parts.attempt(runId);
      over(runId, entry);
    } catch (error) {
      await failed(runId, entry, error);
    }
  };
  const pump = () => {
    for (const runId of ready) {
      if (active >= AT_ONCE || tasks.signal.aborted) return;
      ready.delete(runId);
      const entry = entries.get(runId);
      if (entry === undefined) continue;
      active += 1;
      tasks.start('notification', () =>
        run(runId, entry).finally(() => {
          active -= 1;
          pump();
        }),
      );
    }
  };
  return {
    add(runId) {
      const entry = entries.get(runId);
      if (entry !== undefined) {
        entry.again = true;
        return;
      }
      const added: Entry = { place: 'ready', failures: 0, again: false };
      entries.set(runId, added);
      makeReady(runId, added);
    },
  };
}
