import type { RunRecord } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import type { RunChange, RunStore } from '../ports/run-store.js';

export type Decision<Result> = {
  readonly result: Result;
  /** Absent: no change. */
  readonly change?: Pick<RunChange, 'patch' | 'intent' | 'lease' | 'history'> & {
    /** Leaves the run's place in the lists. Default: the change is the run's latest activity. */
    readonly quiet?: true;
  };
};

/** Attempts of one change under concurrent changes. */
const ATTEMPTS = 64;

/**
 * Changes a run: read, decide, compare-and-set, again on conflict. All changes of runs go through it. `decide` may throw to
 * refuse; it can run several times, so it must be pure.
 */
export async function changeRun<Result>(
  store: RunStore,
  clock: Clock,
  runId: string,
  decide: (record: RunRecord, now: string) => Decision<Result>,
): Promise<{ readonly record: RunRecord; readonly result: Result; readonly changed: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const record = await getRun(store, runId);
    const now = new Date(clock.now()).toISOString();
    const { change, result } = decide(record, now);
    if (!change) return { record, result, changed: false };
    try {
      const { quiet, ...rest } = change;
      const { version, updated_at } = record.run;
      const changed = await store.change({
        run_id: runId,
        version,
        now: quiet ? updated_at : now,
        ...rest,
      });
      return { record: changed, result, changed: true };
    } catch (error) {
      if (!isCulpritError(error, 'version_conflict') || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Rejects with `run_not_found`. */
export async function getRun(store: RunStore, runId: string): Promise<RunRecord> {
  const record = await store.get(runId);
  if (record === null) throw new CulpritError('run_not_found', `There is no run ${runId.slice(0, 64)}.`);
  return record;
}
