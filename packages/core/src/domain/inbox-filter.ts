import type { RunState } from './run.js';
import type { RunOrder } from './search/run-order.js';

/** The states that the inbox can list, by their name in its address. */
export const VIEWS = {
  waiting: {
    label: 'Open',
    states: ['staged_draft', 'staged_raw', 'publishing', 'analyzing'],
  },
  gate1: { label: 'Gate 1', states: ['staged_raw'] },
  gate2: { label: 'Gate 2', states: ['staged_draft'] },
  working: { label: 'In progress', states: ['analyzing', 'publishing'] },
  snoozed: { label: 'Snoozed', states: ['snoozed'] },
  published: { label: 'Published', states: ['published'] },
  rejected: { label: 'Rejected', states: ['rejected'] },
  merged: { label: 'Merged', states: ['merged'] },
} as const satisfies Record<string, { label: string; states: readonly RunState[] }>;
export type View = keyof typeof VIEWS;

/** The orders of the inbox, by their name in its address. */
export const SORTS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  crashes: 'Most crashes',
  users: 'Most users',
  active: 'Latest crash',
} as const;
export type Sort = keyof typeof SORTS;
/** Core's name of an order. */
export const ORDERS: Readonly<Record<Sort, RunOrder>> = {
  newest: 'newest',
  oldest: 'oldest',
  crashes: 'crashes',
  users: 'users',
  active: 'seen',
};

/** What the inbox lists. A saved view is one, as the query string of the board's address. */
export interface Filter {
  readonly view: View;
  readonly project: string;
  readonly query: string;
  readonly sort: Sort;
}

const DEFAULTS: Filter = { view: 'waiting', project: '', query: '', sort: 'newest' };

/** Reads the filter from a query string; missing and invalid values get the default. */
export function readFilter(search: string): Filter {
  const params = new URLSearchParams(search);
  const view = params.get('state') ?? '';
  const sort = params.get('order') ?? '';
  return {
    view: Object.hasOwn(VIEWS, view) ? (view as View) : DEFAULTS.view,
    project: params.get('project') ?? DEFAULTS.project,
    query: params.get('search') ?? DEFAULTS.query,
    sort: Object.hasOwn(SORTS, sort) ? (sort as Sort) : DEFAULTS.sort,
  };
}

/** `?state=gate2&project=shop&search=cart`; defaults are omitted. */
export function writeFilter({ view, project, query, sort }: Filter): string {
  const params = new URLSearchParams();
  if (view !== DEFAULTS.view) params.set('state', view);
  if (project !== DEFAULTS.project) params.set('project', project);
  if (query !== DEFAULTS.query) params.set('search', query);
  if (sort !== DEFAULTS.sort) params.set('order', sort);
  return params.size === 0 ? '' : `?${params}`;
}
