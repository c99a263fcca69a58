import type { Run } from '@culprit/core';
import { signal } from '@preact/signals';

/** The current page, as in the URL. */
export type Route =
  | { readonly page: 'inbox' }
  /** No page has this address. */
  | { readonly page: 'nowhere' }
  | {
      readonly page: 'run';
      readonly id: string;
      readonly section: string | null;
      /** The number of the occurrence whose event is shown; `null`: the run's own. */
      readonly occurrence: number | null;
    }
  | { readonly page: 'edges' }
  /** `tab` as in the address: which of the pages below Settings. */
  | { readonly page: 'settings'; readonly tab: string | null }
  /** `project`: of this one; `null`: of all. */
  | { readonly page: 'releases'; readonly project: string | null }
  | { readonly page: 'release'; readonly project: string; readonly version: string }
  /** `since` and `until` are as in the address; core checks them. */
  | { readonly page: 'digest'; readonly since: string | null; readonly until: string | null };

/** The section of a link to an occurrence. */
const EVENT = 'event';
/** In the address of a merged run: show it, and not the run that counts its crashes. */
const ITSELF = 'merged';

/** `#run_…`, `#run_…/draft`, `#run_…/occurrences/12`, `#/edges`, `#/settings/tokens`, `#/releases`, `#/releases/PROJECT/VERSION`, `#/digest?since=…&until=…`, `#/`. */
export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  if (text === 'edges') return { page: 'edges' };
  if (/^settings(\/|$)/.test(text)) return { page: 'settings', tab: text.split('/')[1] ?? null };
  const release = releaseRoute(text);
  if (release !== null) return release;
  if (/^digest(\?|$)/.test(text)) {
    const params = new URLSearchParams(text.slice('digest'.length));
    return { page: 'digest', since: params.get('since'), until: params.get('until') };
  }
  if (text !== '' && hash.startsWith('#/')) return { page: 'nowhere' };
  const [id = '', section = null, number = ''] = text.split('/');
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return { page: 'inbox' };
  if (section === 'occurrences' && /^[1-9]\d{0,14}$/.test(number))
    return { page: 'run', id, section: EVENT, occurrence: Number(number) };
  return { page: 'run', id, section, occurrence: null };
}

/** `releases?project=…` and `releases/PROJECT/VERSION`. */
function releaseRoute(text: string): Route | null {
  if (/^releases(\?|$)/.test(text))
    return { page: 'releases', project: new URLSearchParams(text.slice('releases'.length)).get('project') };
  const [, project = '', version = ''] = /^releases\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (project === '') return null;
  try {
    return { page: 'release', project: decodeURIComponent(project), version: decodeURIComponent(version) };
  } catch {
    return { page: 'releases', project: null };
  }
}

/** ISO 8601, both. */
export function addressOfDigest(since: string, until: string): string {
  return `#/digest?${new URLSearchParams({ since, until })}`;
}

/** `occurrence`: the number of one of its occurrences. */
export function addressOfRun(run: LinkedRun, occurrence: number | null = null): string {
  if (occurrence !== null) return `#${run.run_id}/occurrences/${occurrence}`;
  return run.state === 'merged' ? `#${run.run_id}/${ITSELF}` : `#${run.run_id}`;
}

/** The same with its host, and without the filters of the list. */
export function linkTo({ run_id }: LinkedRun, occurrence: number | null = null): string {
  return `${location.origin}${location.pathname}${addressOfRun({ run_id }, occurrence)}`;
}

/** A run to link to. Without its state, a link to a merged run leads to the run that counts its crashes. */
type LinkedRun = Pick<Run, 'run_id'> & Partial<Pick<Run, 'state'>>;

export const route = signal<Route>(parseRoute(location.hash));
window.addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

export function go(hash: string): void {
  if (location.hash === hash) return;
  location.hash = hash;
}

/** Opens a run. From another run, the address is replaced: Back leaves the runs that the keyboard went through. */
export function goToRun(run: LinkedRun): void {
  if (route.value.page !== 'run') {
    go(addressOfRun(run));
    return;
  }
  replace(addressOfRun(run));
  route.value = parseRoute(location.hash);
}

/** Names the occurrence in the address, without an entry of the browser's history; `null`: the run's own event. */
export function goToOccurrence(run: LinkedRun, occurrence: number | null): void {
  const now = route.value;
  if (now.page !== 'run' || now.id !== run.run_id) return;
  replace(addressOfRun(run, occurrence));
  // The page stays where it is.
  route.value = { ...now, occurrence };
}

/** Whether the address asks for this run itself, even if it is merged into another one. */
export function showsItself(runId: string): boolean {
  const now = route.value;
  if (now.page !== 'run' || now.id !== runId) return false;
  return now.section === ITSELF || now.occurrence !== null;
}

function replace(address: string): void {
  history.replaceState(null, '', `${location.pathname}${location.search}${address}`);
}
