import type { RunSummary } from '@culprit/core/model';
import { computed, signal } from '@preact/signals';
import { api } from '../api.js';
import { closedRuns, openRuns } from '../state/feed.js';
import { report } from '../state/session.js';
import { readFilter, writeFilter } from './filter-address.js';
import { type Filter, type Item, isClosed, itemsOf, VIEWS, waits } from './select.js';

/** Mirrored in the URL, for links, reloads and the back button. */
export const filter = signal<Filter>(readFilter(location.search));

/** Closed runs read for the current filter. */
const pages = signal<ReadonlyMap<string, RunSummary>>(new Map());
const next = signal<string | null>(null);
export const loading = signal(false);

export const items = computed<readonly Item[]>(() => {
  const { view } = filter.value;
  if (!isClosed(view)) return itemsOf(openRuns.value.values(), filter.value);
  const closed = new Map([...pages.value, ...closedRuns.value]);
  // A rejection that was undone since its page was read.
  for (const id of openRuns.value.keys()) closed.delete(id);
  return itemsOf(closed.values(), {
    ...filter.value,
    sort: 'active',
  });
});
export const waiting = computed(() => [...openRuns.value.values()].filter(waits).length);
export const projects = computed(() =>
  [
    ...new Set([...openRuns.value.values(), ...closedRuns.value.values()].map(({ project }) => project)),
  ].sort(),
);

/** Run IDs in list order, for next and previous. */
export const order = computed(() => items.value.flatMap((item) => (item.kind === 'run' ? [item.key] : [])));

const PAGE = 100;
let asking = 0;
let typing = 0;

export function setFilter(change: Partial<Filter>): void {
  const before = filter.value;
  filter.value = { ...before, ...change };
  // The back button leaves the search, not its last letter.
  const typingOn = change.query !== undefined && before.query !== '';
  const address = `${location.pathname}${writeFilter(filter.value)}${location.hash}`;
  if (typingOn) history.replaceState(null, '', address);
  else if (writeFilter(before) !== writeFilter(filter.value)) history.pushState(null, '', address);
  reload(change.query === undefined ? 0 : 200);
}

window.addEventListener('popstate', () => {
  if (location.search === writeFilter(filter.value)) return;
  filter.value = readFilter(location.search);
  reload(0);
});

/** Reads closed runs again for the current filter. */
export function reload(afterMs: number): void {
  if (!isClosed(filter.value.view)) return;
  pages.value = new Map();
  next.value = null;
  window.clearTimeout(typing);
  typing = window.setTimeout(() => void readPage(null), afterMs);
}

/** Called when the end of the list scrolls into view. */
export function readMore(): void {
  if (next.value !== null && !loading.value && isClosed(filter.value.view)) void readPage(next.value);
}

async function readPage(cursor: string | null): Promise<void> {
  const mine = ++asking;
  const { view, query, project } = filter.value;
  loading.value = true;
  try {
    const page = await api.runs({
      state: VIEWS[view].states.join(','),
      q: query,
      project,
      limit: PAGE,
      cursor: cursor ?? '',
    });
    if (mine !== asking) return;
    pages.value = new Map([...pages.value, ...page.runs.map((run) => [run.run_id, run] as const)]);
    next.value = page.next;
  } catch (error) {
    if (mine === asking) report(error);
  } finally {
    if (mine === asking) loading.value = false;
  }
}
