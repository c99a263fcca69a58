import type { RunPage, RunSummary } from '../../domain/run.js';
import { decidedByWords, matchesLines } from '../../domain/search/match-search.js';
import type { SearchTerm } from '../../domain/search/parse-search.js';
import { placeInOrder } from '../../domain/search/run-order.js';
import type { RunQuery } from '../../ports/run-store.js';
import { batchesOf } from '../../resilience/batches.js';
import type { Reads } from '../key-value.js';
import { keys } from '../keys.js';
import { encodeCursor, placesAfter } from '../places.js';
import { decode, type RunHead } from '../run-parts.js';
import { documentOfText, runIdOfText } from './document-text.js';
import { type Found, findRuns } from './find-runs.js';
import { type IndexState, readIndexState } from './index-state.js';

/** Up to this many runs are read and sorted; of more, the list in the wanted order is walked. */
const SORTED = 400;
/** Places that one call walks, and documents that it compares, before it returns what it has found. */
const WALKED = 20_000;
const COMPARED = 1_500;
const CHUNK = 1_000;
const AT_ONCE = 200;

interface Search {
  readonly store: Reads;
  readonly query: RunQuery;
  readonly terms: readonly SearchTerm[];
  readonly binding: string;
  /** Where the page starts; empty for the first. */
  readonly from: string;
}
interface Hit {
  readonly place: string;
  readonly run: RunSummary;
}

/** A page of the runs that match, at a cost that is bounded for every search. */
export async function searchPage(search: Search): Promise<RunPage> {
  const { store, query, terms } = search;
  const state = await readIndexState(store);
  const found = await findRuns(store, state, { terms, states: query.states ?? [] });
  const page = await (found.count <= SORTED ? sortedPage(search, found) : walkedPage(search, found));
  const { total, ...rest } = page;
  return {
    ...rest,
    ...(terms.length === 0 ? {} : { total }),
    ...(isComplete(state, query) ? {} : { indexing: true }),
  };
}

function isComplete({ complete, users }: IndexState, { order }: RunQuery): boolean {
  return order === 'users' ? users : complete;
}

async function sortedPage(search: Search, found: Found): Promise<RunPage> {
  const { query, binding, from } = search;
  const hits: Hit[] = [];
  for (const numbers of batchesOf([...found.numbers()], AT_ONCE))
    hits.push(...(await hitsOf(search, numbers)));
  hits.sort((a, b) => (a.place < b.place ? -1 : 1));
  const rest = hits.filter(({ place }) => place > from);
  const shown = rest.slice(0, query.limit);
  const last = rest.length > query.limit ? shown.at(-1) : undefined;
  return {
    runs: shown.map(({ run }) => run),
    next: last === undefined ? null : encodeCursor(binding, last.place),
    total: hits.length,
  };
}

async function walkedPage(search: Search, found: Found): Promise<RunPage> {
  const { store, query, terms, binding } = search;
  const compares = terms.some((term) => !decidedByWords(term));
  const total = compares || query.project !== undefined || query.projects !== undefined ? null : found.count;
  const hits: Hit[] = [];
  let { from } = search;
  for (let walked = 0, compared = 0; walked < WALKED && compared < COMPARED; ) {
    const places = await placesAfter(store, query, from, CHUNK);
    const likely = places.filter(({ number }) => number !== null && found.has(number));
    for (const some of batchesOf(likely, compares ? AT_ONCE : query.limit + 1)) {
      if (compares) compared += some.length;
      hits.push(
        ...(await hitsOf(
          search,
          some.map(({ number }) => number ?? 0),
        )),
      );
      const last = hits[query.limit - 1];
      if (hits.length > query.limit && last !== undefined) {
        const runs = hits.slice(0, query.limit).map(({ run }) => run);
        return { runs, next: encodeCursor(binding, last.place), total };
      }
      from = some.at(-1)?.place ?? from;
    }
    if (places.length < CHUNK) return { runs: hits.map(({ run }) => run), next: null, total };
    walked += places.length;
    from = places.at(-1)?.place ?? from;
  }
  return { runs: hits.map(({ run }) => run), next: encodeCursor(binding, from), total };
}

/** The runs with these numbers that match, with their places, in the order of the numbers. */
async function hitsOf({ store, query, terms }: Search, numbers: readonly number[]): Promise<readonly Hit[]> {
  if (numbers.length === 0) return [];
  const { states = [], project, projects, order = 'activity' } = query;
  const texts = await store.getMany(numbers.map(keys.document));
  const matching = texts.flatMap((text, at) => {
    if (text === undefined) return [];
    const document = documentOfText(text);
    const matches = terms.every((term) => decidedByWords(term) || matchesLines(document, term));
    return matches ? [{ id: runIdOfText(text), number: numbers[at] }] : [];
  });
  if (matching.length === 0) return [];
  const heads = await store.getMany(matching.map(({ id }) => keys.head(id)));
  return heads.flatMap((text, at) => {
    if (text === undefined) return [];
    const { run, tombstone, number } = decode<RunHead>(text, 'run');
    const current = !tombstone && number === matching[at]?.number;
    const wanted = states.length === 0 || states.includes(run.state);
    const ours = projects === undefined || projects.includes(run.project);
    if (!current || !wanted || !ours || (project !== undefined && run.project !== project)) return [];
    return [{ place: placeInOrder(run, order), run }];
  });
}
