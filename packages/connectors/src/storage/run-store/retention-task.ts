import { setTimeout as sleep } from 'node:timers/promises';
import { type Retention, type RetentionParts, sweepEventIds, sweepRuns } from './retention.js';

export interface RetentionOptions extends RetentionParts {
  readonly retention: Retention;
  /** How long event ids are remembered; `null` if the store expires them itself. */
  readonly eventIdMs: number | null;
}

/** Time between sweeps. Event ids are scanned one step at a time. */
const SWEEP_MS = 10 * 60_000;
const IDS_MS = 5_000;
const PAUSE_MS = 200;

/** Sweeps in the background until it is stopped. A failed sweep is logged, and the next one continues. */
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
        if (!signal.aborted) options.logger.warn({ err: error }, 'the retention sweep failed; retrying');
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
