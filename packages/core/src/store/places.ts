import { createHash } from 'node:crypto';
import type { SearchTerm } from '../domain/search/parse-search.js';
import { PLACE } from '../domain/search/run-order.js';
import { CulpritError } from '../errors/error.js';
import type { RunQuery } from '../ports/run-store.js';
import type { KeyValue } from './key-value.js';
import { after, keys, orderScope, scope } from './keys.js';

/** A run's place in a list, and its number; `null` if the run is not in the index. */
export interface Place {
  readonly place: string;
  readonly number: number | null;
}

/** The next places in the order of the query: of all lists of its states and projects, merged. Other orders have one list. */
export async function placesAfter(
  store: Pick<KeyValue, 'entries'>,
  query: RunQuery,
  from: string,
  limit: number,
): Promise<readonly Place[]> {
  const scopes = scopesOfQuery(query);
  const lists = await Promise.all(
    scopes.map(async (name) => {
      const start = keys.activity(name, '');
      const entries = await store.entries({ gt: start + from, lt: after(start), limit });
      return entries.map(([key, value]) => ({
        place: key.slice(start.length),
        number: value === '' ? null : Number(value),
      }));
    }),
  );
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  return lists
    .flat()
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, limit);
}

function scopesOfQuery(query: RunQuery): readonly string[] {
  const { order = 'activity' } = query;
  if (order !== 'activity') return [orderScope(order)];
  const states = query.states?.length ? [...new Set(query.states)] : [undefined];
  return projectsOf(query).flatMap((project) => states.map((state) => scope(project, state)));
}

/** Each project once; `[undefined]`: all. */
function projectsOf({ project, projects }: RunQuery): readonly (string | undefined)[] {
  if (projects === undefined) return [project];
  return [...new Set(projects)].filter((one) => project === undefined || one === project);
}

/** What a cursor is bound to: the whole query except its page size. */
export function bindingOf(
  { states = [], project, projects, fingerprint, order = 'activity' }: RunQuery,
  terms: readonly SearchTerm[],
): string {
  const bound = JSON.stringify([
    [...new Set(states)].sort(),
    project ?? null,
    terms.map(({ field, text, exact }) => [field, text, exact]),
    order,
    ...(fingerprint === undefined ? [] : [fingerprint]),
    ...(projects === undefined ? [] : [{ projects: [...new Set(projects)].sort() }]),
  ]);
  return createHash('sha256').update(bound).digest('base64url').slice(0, 16);
}

/** `place` is where the page ended. */
export function encodeCursor(binding: string, place: string): string {
  return Buffer.from(`${binding} ${place}`).toString('base64url');
}

/** Where the next page starts. Throws `invalid_cursor` for a cursor of another query. */
export function decodeCursor(cursor: string, binding: string): string {
  const text = cursor.length > 256 ? '' : Buffer.from(cursor, 'base64url').toString();
  const place = text.slice(binding.length + 1);
  const whole = PLACE.test(place) && encodeCursor(binding, place) === cursor;
  if (whole) return place;
  throw new CulpritError(
    'invalid_cursor',
    'The cursor is invalid. Request the first page again, without a cursor.',
  );
}
