import { CulpritError, type RunPage, type RunQuery, type RunSummary } from '@culprit/core';
import { bindingOf, decodeCursor, encodeCursor, wordsOf } from './cursor.js';
import type { KeyValue } from './key-value.js';
import { after, keys, placeOf, scope } from './keys.js';
import { decode, type RunHead } from './run-parts.js';

/** Runs that one call scans for the words of a query before it returns what it has found. */
const SEARCHED = 10_000;
const CHUNK = 256;

type Reads = Pick<KeyValue, 'getMany' | 'entries'>;

/**
 * Pages through an index for each combination of state and project, so the cost grows with the page, not with the store.
 * Words are not indexed: one call scans up to 10,000 runs in order and returns what it found. A page can therefore hold
 * fewer runs than requested, even none, and still have a `next`.
 */
export async function pageRuns(store: Reads, query: RunQuery): Promise<RunPage> {
  const { limit, cursor } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new CulpritError('malformed', '"limit" must be an integer from 1 to 200.', { path: 'limit' });
  }
  const binding = bindingOf(query);
  const words = wordsOf(query.query ?? '');
  const found: { readonly place: string; readonly run: RunSummary }[] = [];
  let from = cursor === undefined ? '' : decodeCursor(cursor, binding);
  if (query.fingerprint !== undefined) return latestOf(store, query, query.fingerprint, words);

  for (let seen = 0; ; ) {
    const chunk = words.length > 0 ? CHUNK : limit + 1 - found.length;
    const places = await placesAfter(store, query, from, chunk);
    for (const hit of await readRuns(store, query, places)) {
      if (holdsWords(hit.run, words)) found.push(hit);
    }
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined) {
      return pageOf(found.slice(0, limit), encodeCursor(binding, last.place));
    }
    if (places.length < chunk) return pageOf(found, null);
    from = places.at(-1) ?? from;
    seen += places.length;
    if (words.length > 0 && seen >= SEARCHED) return pageOf(found, encodeCursor(binding, from));
  }
}

/** The run in the fingerprint's index entry, if it matches the rest of the query. */
async function latestOf(
  store: Reads,
  { project = '', states = [], cursor }: RunQuery,
  fingerprint: string,
  words: readonly string[],
): Promise<RunPage> {
  const [runId] = await store.getMany([keys.fingerprint(project, fingerprint)]);
  const [head] = runId === undefined || cursor !== undefined ? [] : await store.getMany([keys.head(runId)]);
  if (head === undefined) return pageOf([], null);
  const { run } = decode<RunHead>(head, 'run');
  const fits = (states.length === 0 || states.includes(run.state)) && holdsWords(run, words);
  return pageOf(fits ? [{ run }] : [], null);
}

function holdsWords({ title, fingerprint, run_id }: RunSummary, words: readonly string[]): boolean {
  const text = `${title}\n${fingerprint.hash}\n${run_id}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function pageOf(found: readonly { readonly run: RunSummary }[], next: string | null): RunPage {
  return { runs: found.map(({ run }) => run), next };
}

/** The next places of all scopes in the query, merged in order. */
async function placesAfter(store: Reads, query: RunQuery, from: string, limit: number) {
  const { states = [], project } = query;
  const scopes =
    states.length === 0 ? [scope(project)] : [...new Set(states)].map((state) => scope(project, state));
  const lists = await Promise.all(
    scopes.map(async (name) => {
      const start = keys.activity(name, '');
      const entries = await store.entries({ gt: start + from, lt: after(start), limit });
      return entries.map(([key]) => key.slice(start.length));
    }),
  );
  return lists.flat().sort().slice(0, limit);
}

/** The runs at these places, without those that have moved meanwhile. */
async function readRuns(store: Reads, { states = [] }: RunQuery, places: readonly string[]) {
  const ids = places.map((place) => place.slice(place.indexOf('/') + 1));
  const heads = ids.length > 0 ? await store.getMany(ids.map(keys.head)) : [];
  return heads.flatMap((text, at) => {
    const place = places[at] ?? '';
    if (text === undefined) return [];
    const { run } = decode<RunHead>(text, 'run');
    const still = placeOf(run) === place && (states.length === 0 || states.includes(run.state));
    return still ? [{ place, run }] : [];
  });
}
