import { hasTrusted } from './member.js';
import type { Run, RunState, RunSummary } from './run.js';

/** Runs that can be merged into one. Each has a share in the stored run, so their number is bounded. */
export const MAX_MEMBERS = 20;

/** Why a run cannot be merged into another one. */
export const MERGE_REFUSALS = {
  same_run: 'A run cannot be merged into itself.',
  other_project: 'The runs belong to different projects.',
  busy: 'A run is being analysed or published. Wait until it is done.',
  closed: 'A run was rejected. Undo the rejection first.',
  merged: 'A run has already been merged into another one.',
  has_issue: 'The run has an issue. Merge the other run into it instead.',
  not_waiting: 'Only a run that waits at a gate can be merged into another one.',
  later_run: 'A crash of one of the runs has started a later run. Merge that run.',
  less_trusted:
    'The run has trusted crashes, but the other one has none. Merge the other run into it instead.',
  too_many: `A run can have at most ${MAX_MEMBERS} members.`,
} as const;
/** The code of a reason not to merge; one of `MERGE_REFUSALS`. */
export type MergeRefusal = keyof typeof MERGE_REFUSALS;

const BUSY: readonly RunState[] = ['analyzing', 'publishing'];
/** The states of a run that can be merged into another one. */
const MERGEABLE: readonly RunState[] = ['staged_raw', 'staged_draft'];
/** The states of the other one. */
export const MERGE_TARGETS: readonly RunState[] = [...MERGEABLE, 'published'];

/** What decides whether two runs can be merged; a summary has it, too. */
export type MergeCandidate = Omit<RunSummary, 'suspects' | 'draft'>;

/**
 * Why `run` cannot be merged into `into`; `null` if it can. Reads nothing but the two runs: whether their crashes have
 * started later runs is for the store to say.
 */
export function mergeRefusal(run: MergeCandidate, into: MergeCandidate): MergeRefusal | null {
  if (run.run_id === into.run_id) return 'same_run';
  if (run.project !== into.project) return 'other_project';
  const states = [run.state, into.state];
  if (states.some((state) => BUSY.includes(state))) return 'busy';
  if (states.includes('rejected')) return 'closed';
  if (states.includes('merged')) return 'merged';
  if (run.state === 'published') return 'has_issue';
  if (!MERGEABLE.includes(run.state) || !MERGE_TARGETS.includes(into.state)) return 'not_waiting';
  if (hasTrusted(run) && !hasTrusted(into)) return 'less_trusted';
  const members = (run.members?.length ?? 1) + (into.members?.length ?? 1);
  return members > MAX_MEMBERS ? 'too_many' : null;
}

/** The number of runs that were merged into this one. */
export function mergedCount(run: Pick<Run, 'members'>): number {
  return Math.max(0, (run.members?.length ?? 1) - 1);
}
