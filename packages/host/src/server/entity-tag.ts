import { createHash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../http/message.js';

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

/**
 * A reader's answer with an ETag, by default of its bytes; 304 without a body if the request has it already (RFC 9110, weak
 * comparison). Answers other than 200 stay as they are.
 */
export function withTag({ headers }: Pick<HttpRequest, 'headers'>, response: HttpResponse): HttpResponse {
  if (response.status !== 200) return response;
  const etag = response.headers?.etag ?? entityTag(digestOf(response.body ?? ''));
  if (!matches(headers['if-none-match'], etag)) {
    return { ...response, headers: { ...response.headers, etag } };
  }
  const { link } = response.headers ?? {};
  return { status: 304, headers: { etag, ...(link === undefined ? {} : { link }) } };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([known]) => known === etag.replace(/^W\//, ''));
}

function digestOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 27);
}
