import { signal } from '@preact/signals';

/** The current page, as in the URL. */
export type Route =
  | { readonly page: 'inbox' }
  | { readonly page: 'run'; readonly id: string; readonly section: string | null }
  | { readonly page: 'edges' }
  /** `since` and `until` are as in the address; core checks them. */
  | { readonly page: 'digest'; readonly since: string | null; readonly until: string | null };

/** `#run_…`, `#run_…/draft`, `#/edges`, `#/digest?since=…&until=…`, `#/`. */
export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  if (text === 'edges') return { page: 'edges' };
  if (/^digest(\?|$)/.test(text)) {
    const params = new URLSearchParams(text.slice('digest'.length));
    return { page: 'digest', since: params.get('since'), until: params.get('until') };
  }
  const [id = '', section = null] = text.split('/');
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return { page: 'inbox' };
  return { page: 'run', id, section };
}

/** ISO 8601, both. */
export function addressOfDigest(since: string, until: string): string {
  return `#/digest?${new URLSearchParams({ since, until })}`;
}

export const route = signal<Route>(parseRoute(location.hash));
window.addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

export function go(hash: string): void {
  if (location.hash === hash) return;
  location.hash = hash;
}

/** Opens a run. From another run, the address is replaced: Back leaves the runs that the keyboard went through. */
export function goToRun(runId: string): void {
  if (route.value.page !== 'run') {
    go(`#${runId}`);
    return;
  }
  history.replaceState(null, '', `${location.pathname}${location.search}#${runId}`);
  route.value = parseRoute(location.hash);
}
