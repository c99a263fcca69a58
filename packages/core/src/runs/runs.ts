import { randomUUID } from 'node:crypto';
import { inject, injectable } from '../di/inject.js';
import type { Lease, Run, RunRecord } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { type RunChange, RunStore } from '../ports/run-store.js';
import { StatusFeed } from '../ports/status-feed.js';
import { Tasks } from './tasks.js';

export type Decision<Result> = {
  readonly result: Result;
  /** Absent: no change. */
  readonly change?: Pick<RunChange, 'patch' | 'intent' | 'lease' | 'history'> & {
    /** Leaves the run's place in the lists. Default: the change is the run's latest activity. */
    readonly quiet?: true;
  };
};

/** A run after a decision. */
export interface Changed<Result> {
  readonly record: RunRecord;
  readonly result: Result;
  readonly changed: boolean;
}

/** Attempts of one change under concurrent changes. */
const ATTEMPTS = 64;

/** Reads and changes runs, and waits for them. */
@injectable()
export class Runs {
  /** The owner of this engine's leases. */
  readonly engineId = randomUUID();

  constructor(
    @inject(RunStore) readonly store: RunStore,
    @inject(StatusFeed) private readonly feed: StatusFeed,
    @inject(Clock) private readonly clock: Clock,
    @inject(Tasks) private readonly tasks: Tasks,
  ) {}

  /** Rejects with `run_not_found`. */
  async get(runId: string): Promise<RunRecord> {
    const record = await this.store.get(runId);
    if (record === null) throw new CulpritError('run_not_found', `There is no run ${runId.slice(0, 64)}.`);
    return record;
  }

  /** New crashes count on the latest run of their fingerprint, so an earlier one must stay as it is. */
  async requireLatest(runId: string, refusal: (run: Run, latest: string) => CulpritError): Promise<void> {
    const { run } = await this.get(runId);
    const { project, fingerprint } = run;
    const { runs } = await this.store.page({ project, fingerprint: fingerprint.hash, limit: 1 });
    const [latest] = runs;
    if (latest !== undefined && latest.run_id !== runId) throw refusal(run, latest.run_id);
  }

  /**
   * Changes a run: read, decide, compare-and-set, again on conflict. All changes of runs go through it. `decide` may throw to
   * refuse; it can run several times, so it must be pure.
   */
  async change<Result>(
    runId: string,
    decide: (record: RunRecord, now: string) => Decision<Result>,
  ): Promise<Changed<Result>> {
    for (let attempt = 1; ; attempt++) {
      const record = await this.get(runId);
      const now = new Date(this.clock.now()).toISOString();
      const { change, result } = decide(record, now);
      if (!change) return { record, result, changed: false };
      try {
        const { quiet, ...rest } = change;
        const { version, updated_at } = record.run;
        const at = { run_id: runId, version, now: quiet ? updated_at : now };
        return { record: await this.store.change({ ...at, ...rest }), result, changed: true };
      } catch (error) {
        if (!isCulpritError(error, 'version_conflict') || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** A lease of this engine with a new token; changes with an older token are refused. Tokens grow because versions do. */
  lease({ run }: RunRecord, ms: number): Lease {
    const expires_at = new Date(this.clock.now() + ms).toISOString();
    return { owner: this.engineId, token: run.version + 1, expires_at };
  }

  /**
   * Waits until the run satisfies the condition, also if another process on the same store changes it.
   * Resolves with the record, or `null` after `ms` milliseconds. Rejects once the engine closes.
   */
  async wait(runId: string, ready: (record: RunRecord) => boolean, ms: number): Promise<RunRecord | null> {
    const { signal } = this.tasks;
    let wake = () => {};
    let moved = false;
    const look = () => {
      moved = true;
      wake();
    };
    const unwatch = this.feed.watch((entry) => {
      if (entry.run.run_id === runId) look();
    }, look);
    const timer = new AbortController();
    let expired = false;
    const timeout = this.clock.sleep(ms, AbortSignal.any([timer.signal, signal])).then(
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
        const record = await this.get(runId);
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
}

/** True while no other engine has taken over. */
export function holds(record: RunRecord, lease: Lease | null): boolean {
  return record.lease !== null && lease !== null && record.lease.token === lease.token;
}
