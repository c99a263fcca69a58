import type { RunRecord } from '../domain/run.js';
import type { Clock } from '../ports/clock.js';
import type { RunStore } from '../ports/run-store.js';
import type { StatusFeed } from '../ports/status-feed.js';
import { getRun } from './change-run.js';

/**
 * Waits until the run satisfies the condition, also if another process on the same store changes it.
 * Resolves with the record, or `null` after `ms` milliseconds. Rejects with the signal's reason.
 */
export async function awaitRun(
  parts: {
    readonly store: RunStore;
    readonly feed: StatusFeed;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
  runId: string,
  ready: (record: RunRecord) => boolean,
  ms: number,
): Promise<RunRecord | null> {
  const { store, feed, clock, signal } = parts;
  let wake = () => {};
  let moved = false;
  const look = () => {
    moved = true;
    wake();
  };
  const unwatch = feed.watch((entry) => {
    if (entry.run.run_id === runId) look();
  }, look);
  const timer = new AbortController();
  let expired = false;
  const timeout = clock.sleep(ms, AbortSignal.any([timer.signal, signal])).then(
    () => {
      expired = true;
      wake();
    },
    () => wake(),
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      moved = false;
      const record = await getRun(store, runId);
      if (ready(record)) return record;
      if (expired) return null;
      if (moved) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (moved || expired || signal.aborted) resolve();
      });
    }
  } finally {
    unwatch();
    timer.abort();
    await timeout;
  }
}
