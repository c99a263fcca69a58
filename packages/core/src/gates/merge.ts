import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { joinRuns, partRuns } from '../domain/member.js';
import { mergeRefusal } from '../domain/merge.js';
import { nextState } from '../domain/run.js';
import type { MergeResult } from '../engine-api.js';
import type { Notifications } from '../pipeline/notify.js';
import type { DecidedPair, FoundPair } from '../ports/run-pairs.js';
import { getRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { mergeRefused, splitRefused, stateConflict } from './refusals.js';
import { settled } from './settled.js';

/** The ports and services that Merging uses. */
export type MergingParts = Pick<EngineServices, 'runStore' | 'clock'> & {
  readonly notifications: Pick<Notifications, 'changed'>;
};

/** Merges two runs of one crash, and splits them again. Each is one atomic write of both runs and their histories. */
export class Merging {
  constructor(private readonly parts: MergingParts) {}

  /** Idempotent. Rejects with `merge_refused` and the code of the reason. */
  async merge(runId: string, into: string, reviewer: Reviewer): Promise<MergeResult> {
    const { run } = await getRun(this.parts.runStore, runId);
    const { run: other } = await getRun(this.parts.runStore, into);
    if (run.state === 'merged' && run.merged_into === into) return { run, into: other };
    return this.change(runId, into, (found, now) => merged(found, reviewer, now));
  }

  /** Undoes a merge: the run's fingerprint and crashes are its own again. Rejects with `state_conflict` if it is not merged. */
  split(runId: string, reviewer: Reviewer): Promise<MergeResult> {
    return this.change(runId, null, (found, now) => split(found, reviewer, now));
  }

  private async change(
    run_id: string,
    into: string | null,
    decide: (found: FoundPair, now: string) => DecidedPair,
  ): Promise<MergeResult> {
    const { runStore, clock, notifications } = this.parts;
    const now = new Date(clock.now()).toISOString();
    const changed = await runStore.changePair({ run_id, into, now, decide: (found) => decide(found, now) });
    for (const record of [changed.run, changed.into])
      if (record !== null) notifications.changed(record.run.run_id);
    return { run: changed.run.run, into: changed.into?.run ?? null };
  }
}

function merged(
  { run: { run }, into: other, ways }: FoundPair,
  reviewer: Reviewer,
  now: string,
): DecidedPair {
  const into = other?.run ?? run;
  const refusal = mergeRefusal(run, into);
  if (refusal !== null) throw mergeRefused(refusal);
  for (const [one, way] of [[run, ways.run] as const, [into, ways.into] as const]) {
    const latest = way.at(-1);
    if (latest !== undefined && latest !== one.run_id) throw mergeRefused('later_run', { latest });
  }
  const trigger = run.draft === null ? 'gate1.merge' : 'gate2.merge';
  const to = nextState(run.state, trigger);
  if (to === null) throw mergeRefused('not_waiting');
  const pair = joinRuns({ run, into });
  const { run_id, fingerprint, occurrences } = run;
  const digest = run.draft?.digest ?? null;
  return {
    run: {
      run: { ...pair.run, ...settled(run), state: to },
      history: [
        decision(trigger, now, reviewer, { from: run.state, to, digest, detail: { into: into.run_id } }),
      ],
    },
    into: {
      run: pair.into,
      history: [
        decision('merge', now, reviewer, {
          detail: { run: run_id, fingerprint: fingerprint.hash, occurrences },
        }),
      ],
    },
  };
}

function split({ run: { run }, into: other, ways }: FoundPair, reviewer: Reviewer, now: string): DecidedPair {
  const trigger = run.draft === null ? 'gate1.split' : 'gate2.split';
  const to = nextState(run.state, trigger);
  if (to === null) throw stateConflict(run, 'Splitting');
  const into = other?.run ?? null;
  if (into?.state === 'merged') throw stateConflict(into, 'Splitting a run off');
  const latest = ways.run.at(-1);
  if (!ways.run.includes(run.run_id) && latest !== undefined) throw splitRefused(run, latest);
  const pair = into === null ? null : partRuns({ run, into });
  const own = pair?.run ?? { ...run, merged_into: null };
  const cycle = to === 'staged_raw' ? run.cycle + 1 : run.cycle;
  const digest = run.draft?.digest ?? null;
  const detail = { from: run.merged_into ?? null };
  const { run_id, fingerprint } = run;
  return {
    run: {
      run: { ...own, state: to, cycle },
      history: [decision(trigger, now, reviewer, { from: run.state, to, digest, detail })],
    },
    into: pair && {
      run: pair.into,
      history: [
        decision('split', now, reviewer, {
          detail: { run: run_id, fingerprint: fingerprint.hash, occurrences: own.occurrences },
        }),
      ],
    },
  };
}
