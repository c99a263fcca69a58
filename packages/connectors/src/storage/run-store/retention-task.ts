import { setTimeout as sleep } from 'node:timers/promises';
import { type Retention, type RetentionParts, sweepEventIds, sweepRuns } from './retention.js';

export interface RetentionOptions extends RetentionParts {
  readonly retention: Retention;
  /** How long an event id is known; `null` where the store forgets by itself. */
  readonly eventIdMs: number | null;
}

/** From one sweep to the next; event ids are looked through a step at a time. */
const SWEEP_MS = 10 * 60_000;
const IDS_MS = 5_000;
const PAUSE_MS = 200;

/** Sweeps in the background until it is stopped. A failure is logged; the next sweep finds what it left. */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  const stepPause = async () => {
    await pause(PAUSE_MS);
    signal.throwIfAborted();
  };
  const forever = async (ms: number, work: () => Promise<unknown>) => {
    for (;;) {
      await pause(ms);
      if (signal.aborted) return;
      await work().catch((error) => {
        if (!signal.aborted) options.logger.warn({ err: error }, 'retention could not sweep; it tries again');
      });
    }
  };
  let from = 'k/';
  const { eventIdMs } = options;
  const runs = forever(SWEEP_MS, () => sweepRuns(options, options.retention, stepPause));
  const ids =
    eventIdMs === null
      ? null
      : forever(IDS_MS, async () => {
          from = await sweepEventIds(options, from, eventIdMs);
        });
  return async () => {
    stopped.abort();
    await Promise.all([runs, ids]);
  };
}
