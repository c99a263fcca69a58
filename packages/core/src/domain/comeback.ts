import * as v from 'valibot';
import { step } from './entries.js';
import type { NewHistoryEntry } from './history.js';
import type { Run, RunState } from './run.js';
import type { RunError } from './run-error.js';
import { about, type Doc } from './schema.js';

export const returnedSchema = v.object({
  at: about(v.string(), 'ISO 8601.'),
  by: v.string(),
  reason: v.string(),
});
/** A reviewer's return of a draft to Gate 1. */
export interface Returned extends Doc<typeof returnedSchema> {}

/**
 * Why a run came back. `regression`: the crash of a closed issue returned, and started this run. `analysis_failed`: its
 * analysis ended with an error. `returned`: a reviewer returned its draft from Gate 2.
 */
export type Comeback =
  | { readonly code: 'regression'; readonly run_id: string }
  | { readonly code: 'analysis_failed'; readonly error: RunError }
  | ({ readonly code: 'returned' } & Returned);
/** One of the codes of `Comeback`. */
export type ComebackCode = Comeback['code'];

/** The words for each code, in the middle of a sentence. */
export const COMEBACK_WORDS: Readonly<Record<ComebackCode, string>> = {
  regression: 'regression',
  analysis_failed: 'analysis failed',
  returned: 'returned by a reviewer',
};

/** States in which a run waits at Gate 1, or is to wait there again. */
const AT_GATE_ONE: readonly RunState[] = ['staged_raw', 'snoozed'];

/** Why the run came back: a regression first, then what brought it back to Gate 1. Empty for a run that did not. */
export function comebacksOf({
  state,
  regression_of,
  last_error,
  returned,
}: Pick<Run, 'state' | 'regression_of' | 'last_error' | 'returned'>): readonly Comeback[] {
  const back = AT_GATE_ONE.includes(state);
  const failed = state === 'staged_raw' ? last_error : null;
  return [
    ...(regression_of === null ? [] : [{ code: 'regression', run_id: regression_of } as const]),
    ...(failed === null ? [] : [{ code: 'analysis_failed', error: failed } as const]),
    ...(back && returned ? [{ code: 'returned', ...returned } as const] : []),
  ];
}

/** What a regression changes of the run whose issue was closed. Every store applies it in the write that starts the new run. */
export function cameBack<Published extends Pick<Run, 'version' | 'came_back_as'>>(
  run: Published,
  as: string,
  now: string,
): { readonly run: Published; readonly entry: NewHistoryEntry } {
  const entry = step('came_back', now, { detail: { run_id: as } });
  return { run: { ...run, came_back_as: as, version: run.version + 1 }, entry };
}
