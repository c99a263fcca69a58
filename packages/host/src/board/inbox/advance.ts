import type { RunState } from '@culprit/core/model';
import { focusWhenShown } from '../run/title-focus.js';
import { goToRun, route } from '../state/route.js';
import { items } from './inbox-state.js';

interface Neighbour {
  readonly id: string;
  readonly state: RunState;
}

/** The other runs of the group, those after the run first, nearest first: where a decision leads. */
export function neighboursOf(runId: string): readonly Neighbour[] {
  const all = items.value;
  const at = all.findIndex(({ key }) => key === runId);
  if (at === -1) return [];
  const head = all.findLastIndex(({ kind }, index) => kind === 'group' && index < at);
  const end = all.findIndex(({ kind }, index) => kind === 'group' && index > at);
  const group = all
    .slice(head + 1, end === -1 ? all.length : end)
    .flatMap((item) => (item.kind === 'run' ? [{ id: item.key, state: item.run.state }] : []));
  const own = group.findIndex(({ id }) => id === runId);
  return [...group.slice(own + 1), ...group.slice(0, own).reverse()];
}

/** Opens the first neighbour that still waits there, unless the reviewer has left the run. In an empty group the run stays open. */
export function advance(from: string, neighbours: readonly Neighbour[]): void {
  if (route.value.page !== 'run' || route.value.id !== from) return;
  const now = new Map(
    items.value.flatMap((item) => (item.kind === 'run' ? [[item.key, item.run.state] as const] : [])),
  );
  const next = neighbours.find(({ id, state }) => now.get(id) === state);
  if (next === undefined) return;
  focusWhenShown(next.id);
  goToRun({ run_id: next.id, state: next.state });
}
