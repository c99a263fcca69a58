import * as v from 'valibot';
import { decision } from '../domain/entries.js';
import { joinRuns, partRuns } from '../domain/member.js';
import { mergeRefusal } from '../domain/merge.js';
import { nextState } from '../domain/run.js';
import { about } from '../domain/schema.js';
import type { DecidedPair, FoundPair } from '../ports/run-pairs.js';
import { type Deciding, pairCommand } from './command.js';
import { OF_RUN, within } from './reach.js';
import { mergeRefused, splitRefused, stateConflict } from './refusals.js';
import { settled } from './settled.js';

type By = Pick<Deciding, 'reviewer' | 'now'>;

/** Two runs of one crash become one, and two again. */
export const MERGING = {
  /**
   * Merges a waiting run into another one, which counts its crashes from now on. Idempotent. Rejects with `merge_refused`; the
   * error's `reason` is one of `MERGE_REFUSALS`.
   */
  merge: pairCommand({
    id: 'mergeRun',
    at: 'POST /merge',
    scope: 'gate1',
    reach: within(async (limits, call: MergeCall, runId, reviewer, input) => {
      await limits.run(runId);
      await limits.run(input.into);
      return call(runId, reviewer, input);
    }),
    summary: 'Merge a waiting run into another one, which counts its crashes from now on',
    input: v.strictObject({
      into: about(v.pipe(v.string(), v.maxLength(64)), 'ID of the run that counts the crashes from now on.'),
    }),
    answer: 'pair',
    what: 'Both runs; merging again changes nothing',
    problems: ['merge_refused'],
    into: ({ into }) => into,
    isDone: (run, into) => run.state === 'merged' && run.merged_into === into,
    decide: merged,
  }),
  /** Undoes a merge: the run returns to its gate, with its crashes. Rejects with `state_conflict` if it is not merged. */
  split: pairCommand({
    id: 'splitRun',
    at: 'POST /split',
    scope: 'gate1',
    reach: OF_RUN,
    summary: 'Undo a merge: the run returns to its gate, with its crashes',
    input: v.strictObject({}),
    answer: 'pair',
    what: 'Both runs; `into` is null if retention has deleted it',
    problems: ['state_conflict'],
    into: () => null,
    decide: split,
  }),
};

type MergeCall = (runId: string, reviewer: unknown, input: { readonly into: string }) => Promise<unknown>;

function merged({ run: { run }, into: other, ways }: FoundPair, { reviewer, now }: By): DecidedPair {
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

function split({ run: { run }, into: other, ways }: FoundPair, { reviewer, now }: By): DecidedPair {
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
