import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { nextState, type Run, type RunRecord } from '../domain/run.js';
import type { Notifications } from '../pipeline/notify.js';
import { changeRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { laterRun, stateConflict } from './refusals.js';

/** The ports and services that Reopening uses. */
export type ReopeningParts = Pick<EngineServices, 'runStore' | 'clock'> & {
  readonly notifications: Pick<Notifications, 'changed'>;
};

/** Undoes a rejection: the run returns to the gate where it was rejected. */
export class Reopening {
  constructor(private readonly parts: ReopeningParts) {}

  /** Rejects with `state_conflict` if the run is not rejected, or if a later run of the same crash exists. */
  async reopen(runId: string, reviewer: Reviewer): Promise<Run> {
    const { runStore, clock, notifications } = this.parts;
    await this.checkLatest(await runStore.get(runId));
    const { record } = await changeRun(runStore, clock, runId, ({ run }, now) => {
      // Only a run that was rejected at Gate 2 has a draft.
      const trigger = run.draft === null ? 'gate1.reopen' : 'gate2.reopen';
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Undoing a rejection');
      const digest = run.draft?.digest ?? null;
      const again = to === 'staged_raw' ? { cycle: run.cycle + 1, approved_by: null } : {};
      const entry = decision(trigger, now, reviewer, { from: run.state, to, digest });
      return { result: null, change: { patch: { state: to, ...again }, history: [entry] } };
    });
    notifications.changed(runId);
    return record.run;
  }

  /** New crashes count on the latest run of their fingerprint, so an earlier one must stay closed. */
  private async checkLatest(record: RunRecord | null): Promise<void> {
    if (record === null) return;
    const { project, fingerprint, run_id } = record.run;
    const { runs } = await this.parts.runStore.page({ project, fingerprint: fingerprint.hash, limit: 1 });
    const [latest] = runs;
    if (latest !== undefined && latest.run_id !== run_id) throw laterRun(record.run, latest.run_id);
  }
}
