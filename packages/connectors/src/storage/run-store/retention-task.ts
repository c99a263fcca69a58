import { watchClock } from './clock-watch.js';
import { countRuns } from './count-runs.js';
import { type Retention, type RetentionParts, sweepEventIds, sweepRuns } from './retention.js';
import { createStoppable } from './stoppable.js';

export interface RetentionOptions extends RetentionParts {
  /** `null`: runs and event ids are kept forever. */
  readonly retention: Retention | null;
  /** How long event ids are remembered; `null` if the store expires them itself. */
  readonly eventIdMs: number | null;
}

/** Time between sweeps. Event ids are scanned one step at a time. */
const SWEEP_MS = 10 * 60_000;
const IDS_MS = 5_000;
const PAUSE_MS = 200;

/** Counts runs of older versions, then sweeps in the background until it is stopped. A failed sweep is logged, and the next one continues. */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  const { signal, pause, stepPause, stop } = createStoppable(PAUSE_MS);
  const forever = async (ms: number, work: () => Promise<unknown>) => {
    for (;;) {
      await pause(ms);
      if (signal.aborted) return;
      await work().catch((error) => {
        if (!signal.aborted) options.logger.warn({ err: error }, 'the retention sweep failed; retrying');
      });
    }
  };
  const mayDelete = watchClock(options);
  let from = 'k/';
  const { eventIdMs, retention } = options;
  const count = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const runs = await countRuns(options, stepPause);
        if (runs > 0) options.logger.info({ runs }, 'counted the stored runs for quotas');
        return;
      } catch (error) {
        if (!signal.aborted) options.logger.warn({ err: error }, 'counting the runs failed; retrying');
        await pause(IDS_MS);
      }
    }
  };
  const runs = count().then(() =>
    retention === null
      ? undefined
      : forever(SWEEP_MS, async () => {
          if (await mayDelete()) await sweepRuns(options, retention, stepPause);
        }),
  );
  const ids =
    eventIdMs === null || retention === null
      ? null
      : forever(IDS_MS, async () => {
          if (await mayDelete()) from = await sweepEventIds(options, from, eventIdMs);
        });
  return async () => {
    stop();
    await Promise.all([runs, ids]);
  };
}
