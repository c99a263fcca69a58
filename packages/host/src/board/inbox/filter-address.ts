import { type Filter, SORTS, type Sort, VIEWS, type View } from './select.js';

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
