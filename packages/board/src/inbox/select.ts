import type { RunState, RunSummary } from '@culprit/core';
import { type Filter, type Sort, VIEWS, type View } from '@culprit/core/internal/domain/inbox-filter';
import { WAITING_STATES } from '@culprit/core/internal/domain/run';
import { rankOfUsers } from '@culprit/core/internal/domain/search/run-order';

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

/** Rows of the filter's states and project, grouped by state, regressions first. New crashes move a row only if the list is sorted by them. */
export function itemsOf(runs: Iterable<RunSummary>, filter: Filter): readonly Item[] {
  const states: readonly RunState[] = VIEWS[filter.view].states;
  const shown = [...runs].filter(
    (run) => states.includes(run.state) && (filter.project === '' || run.project === filter.project),
  );
  const order = orderOf(filter.sort);
  // A regression is a bug that somebody believed to be fixed.
  shown.sort((a, b) => Number(a.regression_of === null) - Number(b.regression_of === null) || order(a, b));
  return GROUPS.flatMap(({ title, states: own }) => {
    const members = shown.filter(({ state }) => own.includes(state));
    if (members.length === 0) return [];
    const head: Item = { kind: 'group', key: title, title, count: members.length };
    return [head, ...members.map((run): Item => ({ kind: 'run', key: run.run_id, run }))];
  });
}

function orderOf(sort: Sort): (a: RunSummary, b: RunSummary) => number {
  const tie = (a: RunSummary, b: RunSummary) => a.run_id.localeCompare(b.run_id);
  switch (sort) {
    case 'newest':
      return (a, b) => compare(b.first_seen, a.first_seen) || tie(a, b);
    case 'oldest':
      return (a, b) => compare(a.first_seen, b.first_seen) || tie(a, b);
    case 'crashes':
      return (a, b) => b.occurrences - a.occurrences || tie(a, b);
    case 'users':
      return (a, b) => rankOfUsers(b) - rankOfUsers(a) || tie(a, b);
    case 'active':
      return (a, b) => compare(b.last_seen, a.last_seen) || tie(a, b);
  }
}

/** ISO dates compare as text; `localeCompare` is a hundred times slower. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
