import type { RunSummary } from '@culprit/core';
import {
  type Filter,
  ORDERS,
  readFilter,
  VIEWS,
  writeFilter,
} from '@culprit/core/internal/domain/inbox-filter';
import { parseSearch, type SearchProblem } from '@culprit/core/internal/domain/search/parse-search';
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { api } from '../api.js';
import { closedRuns, openRuns } from '../state/feed.js';
import { report } from '../state/session.js';
import { type Item, isClosed, itemsOf, waits } from './select.js';

/** Mirrored in the URL, for links, reloads and the back button. */
export const filter = signal<Filter>(readFilter(location.search));

/** Runs read for the current filter: closed ones, and those that a search finds. */
const pages = signal<ReadonlyMap<string, RunSummary>>(new Map());
const next = signal<string | null>(null);
export const loading = signal(false);
/** Whether core's last answer was an error. */
export const failed = signal(false);
/** What core said about the current search; `null` without one. */
export const answer = signal<{ readonly total: number | null; readonly indexing: boolean } | null>(null);
/** Why the search cannot be answered; `null` if it can. */
export const problem = computed<SearchProblem | null>(() => {
  const parsed = parseSearch(filter.value.query);
  return 'problem' in parsed ? parsed.problem : null;
});

/** Core answers searches and lists closed runs; the live feed holds all open ones. */
function isRead({ view, query }: Filter): boolean {
  return isClosed(view) || query.trim() !== '';
}

export const items = computed<readonly Item[]>(() => {
  const now = filter.value;
  if (now.query.trim() !== '') {
    const found = [...pages.value.values()].map(
      (run) => openRuns.value.get(run.run_id) ?? closedRuns.value.get(run.run_id) ?? run,
    );
    return itemsOf(found, now);
  }
  if (!isClosed(now.view)) return itemsOf(openRuns.value.values(), now);
  const closed = new Map([...pages.value, ...closedRuns.value]);
  // A rejection that was undone since its page was read.
  for (const id of openRuns.value.keys()) closed.delete(id);
  return itemsOf(closed.values(), { ...now, sort: 'active' });
});
export const waiting = computed(() => [...openRuns.value.values()].filter(waits).length);
export const projects = computed(() =>
  [
    ...new Set([...openRuns.value.values(), ...closedRuns.value.values()].map(({ project }) => project)),
  ].sort(),
);

/** Run IDs in list order, for next and previous. */
export const order = computed(() => items.value.flatMap((item) => (item.kind === 'run' ? [item.key] : [])));

const PAGE = 200;
const TYPING_MS = 80;
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
  reload(change.query === undefined ? 0 : TYPING_MS);
}

window.addEventListener('popstate', () => {
  if (location.search === writeFilter(filter.value)) return;
  filter.value = readFilter(location.search);
  reload(0);
});

/** Reads runs again for the current filter. The last ones stay until then. */
export function reload(afterMs: number): void {
  window.clearTimeout(typing);
  asking += 1;
  loading.value = false;
  failed.value = false;
  if (!isRead(filter.value)) {
    pages.value = new Map();
    next.value = null;
    answer.value = null;
    return;
  }
  if (problem.value !== null) return;
  loading.value = true;
  typing = window.setTimeout(() => void readPage(null), afterMs);
}

/** Called when the end of the list scrolls into view. */
export function readMore(): void {
  if (next.value !== null && !loading.value && isRead(filter.value)) void readPage(next.value);
}

/** New crashes may match a search. */
const REFRESH_MS = 3_000;
let refreshing = 0;
function refreshSoon(): void {
  if (refreshing !== 0) return;
  refreshing = window.setTimeout(() => {
    refreshing = 0;
    if (filter.value.query.trim() === '' || problem.value !== null) return;
    // What is being read may be older than the crash.
    if (loading.value) refreshSoon();
    else if (next.value === null && !document.hidden) void readPage(null);
  }, REFRESH_MS);
}
effect(() => {
  openRuns.value;
  if (untracked(() => filter.value.query.trim() !== '')) refreshSoon();
});

async function readPage(cursor: string | null): Promise<void> {
  const mine = ++asking;
  const { view, query, project, sort } = filter.value;
  const search = query.trim();
  loading.value = true;
  try {
    const page = await api.listRuns({
      state: VIEWS[view].states.join(','),
      q: search,
      order: search === '' ? undefined : ORDERS[sort],
      project,
      limit: PAGE,
      cursor: cursor ?? '',
    });
    if (mine !== asking) return;
    const before = cursor === null ? [] : pages.value;
    batch(() => {
      failed.value = false;
      pages.value = new Map([...before, ...page.runs.map((run) => [run.run_id, run] as const)]);
      next.value = page.next;
      answer.value = search === '' ? null : { total: page.total ?? null, indexing: page.indexing === true };
    });
  } catch (error) {
    if (mine !== asking) return;
    failed.value = true;
    report(error);
  } finally {
    if (mine === asking) loading.value = false;
  }
}
