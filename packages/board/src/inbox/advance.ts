import type { RunState } from '@culprit/core';
import { focusWhenShown } from '../run/title-focus.js';
import { decided } from '../state/decided.js';
import { goToRun, route } from '../state/route.js';
import { items } from './inbox-state.js';

export interface Neighbour {
  readonly id: string;
  readonly state: RunState;
}

/** The other runs of the group, those after the run first, nearest first: what a decision offers next. */
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

/** After a decision on the run that is open: the first of its neighbours that still waits there; `null` if there is none. */
export function offeredNext(): Neighbour | null {
  const { run, neighbours = [] } = decided.value ?? {};
  if (route.value.page !== 'run' || route.value.id !== run?.run_id) return null;
  const now = new Map(
    items.value.flatMap((item) => (item.kind === 'run' ? [[item.key, item.run.state] as const] : [])),
  );
  return neighbours.find(({ id, state }) => now.get(id) === state) ?? null;
}

/** Opens it. Returns false if there is none. */
export function goToOffered(): boolean {
  const next = offeredNext();
  if (next === null) return false;
  focusWhenShown(next.id);
  goToRun({ run_id: next.id, state: next.state });
  return true;
}
