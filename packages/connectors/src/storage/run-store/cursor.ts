import { createHash } from 'node:crypto';
import type { RunQuery } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';
import type { SearchTerm } from '@culprit/core/internal/domain/search/parse-search';

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
  const whole = /^\d{16}\/[\w-]{1,64}$/.test(place) && encodeCursor(binding, place) === cursor;
  if (whole) return place;
  throw new CulpritError(
    'invalid_cursor',
    'The cursor is invalid. Request the first page again, without a cursor.',
  );
}
