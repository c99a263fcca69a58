import type { RunState, RunSummary } from '@culprit/core';
import { type Filter, ORDERS, VIEWS, type View } from '@culprit/core/internal/domain/inbox-filter';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { placeInInbox } from '@culprit/core/internal/domain/search/run-order';

const GROUPS: readonly { readonly title: string; readonly states: readonly RunState[] }[] = [
  { title: 'Gate 2 · review the draft', states: ['staged_draft'] },
  { title: 'Gate 1 · start the analysis', states: ['staged_raw'] },
  { title: 'In progress', states: ['analyzing', 'publishing'] },
  { title: 'Snoozed', states: ['snoozed'] },
  { title: 'Published', states: ['published'] },
  { title: 'Rejected', states: ['rejected'] },
  { title: 'Merged', states: ['merged'] },
];

export type Item =
  | { readonly kind: 'group'; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: 'run'; readonly key: string; readonly run: RunSummary };

/** Closed runs are paged from core; the live feed holds all open runs. */
export function isClosed(view: View): boolean {
  return view === 'published' || view === 'rejected' || view === 'merged';
}

/** Whether the run waits for a reviewer. */
export function waits({ state }: Pick<RunSummary, 'state'>): boolean {
  return WAITING_STATES.includes(state);
}

/** Rows of the filter's states and project, grouped by state. New crashes move a row only if the list is sorted by them. */
export function itemsOf(runs: Iterable<RunSummary>, filter: Filter): readonly Item[] {
  const states: readonly RunState[] = VIEWS[filter.view].states;
  const shown = [...runs].filter(
    (run) => states.includes(run.state) && (filter.project === '' || run.project === filter.project),
  );
  const places = new Map(shown.map((run) => [run, placeInInbox(run, ORDERS[filter.sort])]));
  // Texts compare a hundred times faster than with `localeCompare`.
  shown.sort((a, b) => ((places.get(a) ?? '') < (places.get(b) ?? '') ? -1 : 1));
  return GROUPS.flatMap(({ title, states: own }) => {
    const members = shown.filter(({ state }) => own.includes(state));
    if (members.length === 0) return [];
    const head: Item = { kind: 'group', key: title, title, count: members.length };
    return [head, ...members.map((run): Item => ({ kind: 'run', key: run.run_id, run }))];
  });
}
