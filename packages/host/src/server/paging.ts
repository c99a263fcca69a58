import { CulpritError } from '@culprit/core';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import { jsonResponse } from '../http/problem-response.js';
import type { QueryParameter } from './route.js';

const DEFAULT_LIMIT = 50;
const MAX = 200;

/** The query parameters of every list that has pages. */
export const PAGE_PARAMETERS = {
  cursor: '`next` of the previous page of the same query. Default: the first page',
  limit: limitParameter(DEFAULT_LIMIT),
} satisfies Readonly<Record<string, string | QueryParameter>>;

/** Those of a list that is whole without `limit`. */
export const OPTIONAL_PAGE_PARAMETERS = {
  ...PAGE_PARAMETERS,
  limit: limitParameter(null),
} satisfies Readonly<Record<string, string | QueryParameter>>;

function limitParameter(default_: number | null): QueryParameter {
  const schema = { type: 'integer', minimum: 1, maximum: MAX };
  return default_ === null
    ? { what: 'Entries of one page. Default: all of them', schema }
    : { what: 'Entries of one page', schema: { ...schema, default: default_ } };
}

/** `limit` of the query. @throws `malformed` */
export function readLimit(text: string | undefined): number {
  return readOptionalLimit(text) ?? DEFAULT_LIMIT;
}

/** `null` without one. @throws `malformed` */
function readOptionalLimit(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX) return limit;
  throw new CulpritError('malformed', `"limit" must be a whole number from 1 to ${MAX}.`, { path: 'limit' });
}

export function invalidCursor(): CulpritError {
  return new CulpritError('invalid_cursor', 'Ask for the first page again, without a cursor.');
}

/**
 * A longer `Link` is left out, because programs and proxies refuse responses with large headers: nginx above 4 KiB in all
 * (`proxy_buffer_size`), Node above 16 KiB.
 */
export const LONGEST_LINK = 2_048;

/** A page: `body` with its `next`, and a `Link` to the next page (RFC 8288), relative to the address of this one. */
export function pageResponse<Page extends { readonly next: string | null }>(
  { path, query }: Pick<HttpRequest, 'path' | 'query'>,
  body: Page,
): HttpResponse {
  if (body.next === null) return jsonResponse(200, body);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const params = new URLSearchParams({ ...query, cursor: body.next });
  const link = `<${name}?${params}>; rel="next"`;
  return jsonResponse(200, body, link.length > LONGEST_LINK ? {} : { link });
}

/**
 * One page of a list that is in memory as a whole. `keyOf` names an entry: the cursor is the name of the last entry before the
 * page, so that entries which come or go do not move it. @throws `malformed`, `invalid_cursor`
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  { limit, cursor }: HttpRequest['query'],
  keyOf: (entry: Entry) => string,
): { readonly page: readonly Entry[]; readonly next: string | null } {
  const most = readOptionalLimit(limit) ?? entries.length;
  const start = cursor === undefined || cursor === '' ? 0 : placeAfter(entries, cursor, keyOf);
  const page = entries.slice(start, start + most);
  const last = page.at(-1);
  const ends = last === undefined || start + page.length >= entries.length;
  return { page, next: ends ? null : encode(keyOf(last)) };
}

function placeAfter<Entry>(
  entries: readonly Entry[],
  cursor: string,
  keyOf: (entry: Entry) => string,
): number {
  const at = entries.findIndex((entry) => encode(keyOf(entry)) === cursor);
  if (at === -1) throw invalidCursor();
  return at + 1;
}

function encode(key: string): string {
  return Buffer.from(key).toString('base64url');
}
