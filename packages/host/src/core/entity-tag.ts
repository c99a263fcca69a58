import type { HttpRequest } from '../http/message.js';

export function entityTag(digest: string): string {
  return `"${digest}"`;
}

/**
 * The digest that `If-Match` binds to; `null` without one, and for `*`, which binds to nothing. A weak tag or a list
 * stays as it came and so matches no digest.
 */
export function ifMatch({ headers }: Pick<HttpRequest, 'headers'>): string | null {
  const value = headers['if-match']?.trim() ?? '';
  if (value === '' || value === '*') return null;
  return /^"([^"]*)"$/.exec(value)?.[1] ?? value;
}
