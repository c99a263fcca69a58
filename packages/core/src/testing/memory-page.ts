import { type Run, type RunRecord, summarise } from '../domain/run.js';
import {
  documentValues,
  eventLines,
  runLines,
  type SearchDocument,
  searchDocument,
} from '../domain/search/document.js';
import { matchesSearch, prepareDocument } from '../domain/search/match-search.js';
import { placeInOrder } from '../domain/search/run-order.js';
import { CulpritError } from '../errors/error.js';
import type { RunPage, RunQuery } from '../ports/run-store.js';
import type { ValueCount, ValuesQuery } from '../ports/run-values.js';
import { readSearch } from '../runs/read-search.js';
import { wayFrom } from './memory-state.js';

interface Runs {
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** Latest run by project and fingerprint hash. */
  readonly latest: ReadonlyMap<string, string>;
}

/** A page, by comparing every run with the query. */
export function pageOf(state: Runs, asked: RunQuery): RunPage {
  const { states = [], project, projects, fingerprint, cursor, limit, order = 'activity' } = asked;
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new CulpritError('malformed', '"limit" must be a whole number from 1 to 200.', { path: 'limit' });
  }
  const terms = fingerprint === undefined ? readSearch(asked.query ?? '') : [];
  const words = terms.map(({ field, text, exact }) => [field, text, exact]);
  const binding = JSON.stringify([
    [...states].sort(),
    project ?? null,
    words,
    fingerprint ?? null,
    order,
    projects ?? null,
  ]);
  const entry =
    fingerprint === undefined ? null : state.latest.get(JSON.stringify([project ?? '', fingerprint]));
  const latest = entry === null ? null : wayFrom(state, entry).runs.at(-1)?.run.run_id;
  const after = cursor === undefined ? '' : decodeCursor(cursor, binding);
  const all = [...state.runs.values()]
    .map(({ run }) => run)
    .filter((run) => latest === null || run.run_id === latest)
    .filter((run) => states.length === 0 || states.includes(run.state))
    .filter((run) => project === undefined || run.project === project)
    .filter((run) => projects === undefined || projects.includes(run.project))
    .filter((run) => terms.length === 0 || matchesSearch(prepareDocument(documentOf(run)), terms))
    .map((run) => ({ run, place: placeInOrder(run, order) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const rest = all.filter(({ place }) => place > after);
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1)?.place : undefined;
  const next = last === undefined ? null : Buffer.from(JSON.stringify([binding, last])).toString('base64url');
  return {
    runs: shown.map(({ run }) => summarise(run)),
    next,
    ...(terms.length === 0 ? {} : { total: all.length }),
  };
}

export function valuesOf(
  records: Iterable<RunRecord>,
  { field, prefix, limit }: ValuesQuery,
): readonly ValueCount[] {
  const counts = new Map<string, number>();
  for (const { run } of records) {
    for (const [own, value] of documentValues(documentOf(run))) {
      if (own === field && value.startsWith(prefix.toLowerCase()))
        counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([value, runs]) => ({ value, runs }))
    .sort((a, b) => b.runs - a.runs || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}

function documentOf(run: Run): SearchDocument {
  return searchDocument(run.run_id, [...runLines(summarise(run)), ...eventLines(run.event)]);
}

function decodeCursor(cursor: string, binding: string): string {
  try {
    const [bound, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (bound === binding) return String(place);
  } catch {}
  throw new CulpritError('invalid_cursor', 'Ask for the first page again, without a cursor.');
}
