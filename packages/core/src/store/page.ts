import type { RunPage, RunSummary } from '../domain/run.js';
import { placeInOrder, RUN_ORDERS } from '../domain/search/run-order.js';
import { CulpritError } from '../errors/error.js';
import type { RunQuery } from '../ports/run-store.js';
import { readSearch } from '../runs/read-search.js';
import { noKnownRuns, wayOf } from './families.js';
import type { Reads } from './key-value.js';
import { keys } from './keys.js';
import { bindingOf, decodeCursor, encodeCursor, placesAfter } from './places.js';
import { decode, type RunHead } from './run-parts.js';
import { searchPage } from './search/search-page.js';

/**
 * Pages through a list for each combination of state and project, so the cost grows with the page, not with the store. Searches
 * and other orders use the index.
 */
export async function pageRuns(store: Reads, query: RunQuery): Promise<RunPage> {
  const { limit, cursor, order = 'activity' } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new CulpritError('malformed', '"limit" must be an integer from 1 to 200.', { path: 'limit' });
  }
  if (!RUN_ORDERS.includes(order)) {
    throw new CulpritError('malformed', `"order" must be one of ${RUN_ORDERS.join(', ')}.`, {
      path: 'order',
    });
  }
  const terms = query.fingerprint === undefined ? readSearch(query.query ?? '') : [];
  const binding = bindingOf(query, terms);
  const from = cursor === undefined ? '' : decodeCursor(cursor, binding);
  if (query.fingerprint !== undefined) return latestOf(store, query, query.fingerprint);
  if (terms.length > 0 || order !== 'activity') return searchPage({ store, query, terms, binding, from });
  return listPage(store, query, binding, from);
}

async function listPage(store: Reads, query: RunQuery, binding: string, start: string): Promise<RunPage> {
  const { limit } = query;
  const found: { readonly place: string; readonly run: RunSummary }[] = [];
  for (let from = start; ; ) {
    const chunk = limit + 1 - found.length;
    const places = (await placesAfter(store, query, from, chunk)).map(({ place }) => place);
    found.push(...(await readRuns(store, query, places)));
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined) {
      return pageOf(found.slice(0, limit), encodeCursor(binding, last.place));
    }
    if (places.length < chunk) return pageOf(found, null);
    from = places.at(-1) ?? from;
  }
}

/** The run that counts the fingerprint's crashes, if it matches the rest of the query. */
async function latestOf(
  store: Reads,
  { project = '', projects, states = [], cursor }: RunQuery,
  fingerprint: string,
): Promise<RunPage> {
  if (cursor !== undefined || projects?.includes(project) === false) return pageOf([], null);
  const { heads } = await wayOf(store, noKnownRuns(), keys.fingerprint(project, fingerprint));
  const head = heads.at(-1);
  if (head === undefined) return pageOf([], null);
  const { run } = head;
  return pageOf(states.length === 0 || states.includes(run.state) ? [{ run }] : [], null);
}

function pageOf(found: readonly { readonly run: RunSummary }[], next: string | null): RunPage {
  return { runs: found.map(({ run }) => run), next };
}

/** The runs at these places, without those that have moved meanwhile. */
async function readRuns(store: Reads, { states = [] }: RunQuery, places: readonly string[]) {
  const ids = places.map((place) => place.slice(place.indexOf('/') + 1));
  const heads = ids.length > 0 ? await store.getMany(ids.map(keys.head)) : [];
  return heads.flatMap((text, at) => {
    const place = places[at] ?? '';
    if (text === undefined) return [];
    const { run } = decode<RunHead>(text, 'run');
    const still =
      placeInOrder(run, 'activity') === place && (states.length === 0 || states.includes(run.state));
    return still ? [{ place, run }] : [];
  });
}
