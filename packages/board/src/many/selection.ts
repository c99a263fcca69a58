import type { RunSummary } from '@culprit/core';
import { computed, signal } from '@preact/signals';
import { plural } from '../format.js';
import { filter, items, order } from '../inbox/inbox-state.js';
import { isClosed } from '../inbox/select.js';
import { route } from '../state/route.js';
import { announcement } from '../state/session.js';

/** Rows show checkboxes. */
const asked = signal(false);
const marked = signal<ReadonlySet<string>>(new Set());
/** The run that was selected last, where a range starts. */
let anchor: string | null = null;

/** Only runs of the list that is shown: a filter never hides a run that a decision would reach. */
export const selectedRuns = computed<readonly RunSummary[]>(() =>
  items.value.flatMap((item) => (item.kind === 'run' && marked.value.has(item.key) ? [item.run] : [])),
);
/** No decision on many runs applies to closed ones. */
export const selectable = computed(() => !isClosed(filter.value.view));
export const picking = computed(() => selectable.value && (asked.value || selectedRuns.value.length > 0));

export function isSelected(runId: string): boolean {
  return marked.value.has(runId);
}

function mark(ids: Iterable<string>): void {
  marked.value = new Set(ids);
  announcement.value = `${plural(selectedRuns.value.length, 'run')} selected`;
}

export function startPicking(): void {
  asked.value = true;
}

export function toggle(runId: string): void {
  const next = new Set(selectedRuns.value.map(({ run_id }) => run_id));
  if (!next.delete(runId)) next.add(runId);
  anchor = runId;
  mark(next);
}

/** Selects the runs from the one that was selected last to this one. */
export function selectTo(runId: string): void {
  const ids = order.value;
  const to = ids.indexOf(runId);
  const from = anchor === null ? to : ids.indexOf(anchor);
  if (to === -1) return;
  const range = ids.slice(Math.min(from === -1 ? to : from, to), Math.max(from, to) + 1);
  mark([...selectedRuns.value.map(({ run_id }) => run_id), ...range]);
}

/** Selects every run of the list: all that match the search and the filters. */
export function selectAll(): boolean {
  if (!selectable.value || order.value.length === 0) return false;
  mark(order.value);
  return true;
}

/** Returns false if nothing was selected. */
export function clearSelection(): boolean {
  if (!picking.value) return false;
  asked.value = false;
  anchor = null;
  mark([]);
  return true;
}

/** The run of the focused row, else the open one. */
function runAtHand(): string | null {
  const row = document.activeElement?.getAttribute('data-run');
  const id = row ?? (route.value.page === 'run' ? route.value.id : null);
  return id !== null && order.value.includes(id) ? id : null;
}

export function toggleAtHand(): boolean {
  const id = runAtHand();
  if (id === null || !selectable.value) return false;
  toggle(id);
  return true;
}

export function selectToAtHand(): boolean {
  const id = runAtHand();
  if (id === null || !selectable.value) return false;
  selectTo(id);
  return true;
}
