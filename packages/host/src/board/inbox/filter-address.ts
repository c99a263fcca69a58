import { type Filter, SORTS, type Sort, VIEWS, type View } from './select.js';

const USUAL: Filter = { view: 'waiting', project: '', query: '', sort: 'newest' };

/** The filter that an address speaks of; what it says wrongly or not at all is as usual. */
export function readFilter(search: string): Filter {
  const said = new URLSearchParams(search);
  const view = said.get('state') ?? '';
  const sort = said.get('order') ?? '';
  return {
    view: Object.hasOwn(VIEWS, view) ? (view as View) : USUAL.view,
    project: said.get('project') ?? USUAL.project,
    query: said.get('search') ?? USUAL.query,
    sort: Object.hasOwn(SORTS, sort) ? (sort as Sort) : USUAL.sort,
  };
}

/** `?state=gate2&project=shop&search=cart`; nothing where all is as usual. */
export function writeFilter({ view, project, query, sort }: Filter): string {
  const said = new URLSearchParams();
  if (view !== USUAL.view) said.set('state', view);
  if (project !== USUAL.project) said.set('project', project);
  if (query !== USUAL.query) said.set('search', query);
  if (sort !== USUAL.sort) said.set('order', sort);
  return said.size === 0 ? '' : `?${said}`;
}
