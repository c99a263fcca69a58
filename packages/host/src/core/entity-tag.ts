import type { HttpRequest } from '../http/message.js';

export function entityTag(digest: string): string {
  return `"${digest}"`;
}

/**
 * The digest in `If-Match`; `null` without the header, and for `*`, which binds to nothing. A weak tag or a list is returned
 * unchanged, so it matches no digest.
 */
export function ifMatch({ headers }: Pick<HttpRequest, 'headers'>): string | null {
  const value = headers['if-match']?.trim() ?? '';
  if (value === '' || value === '*') return null;
  return /^"([^"]*)"$/.exec(value)?.[1] ?? value;
}
