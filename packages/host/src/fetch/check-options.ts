import { CulpritError } from '@culprit/core';
import { UNGUESSABLE_CHARS } from '../server/reviewers.js';
import type { FetchHandlerOptions } from './fetch-handler.js';

/** What JavaScript callers may pass: an environment variable that is not set is `undefined`. */
type Given = { readonly [Name in keyof FetchHandlerOptions]?: unknown };

/** Throws `configuration`, with the option's name, for one that is missing or wrong. */
export function checkFetchOptions(options: FetchHandlerOptions): void {
  const { engine, publicUrl, reviewers }: Given = options;
  if (!has(engine, 'ingestBatch')) refuse('engine', 'is missing. Pass what createEngine returns, awaited.');
  checkUrl(publicUrl);
  if (!Array.isArray(reviewers)) refuse('reviewers', 'is missing. Pass [{ name, token }].');
  for (const [at, reviewer] of (reviewers as unknown[]).entries()) {
    const { name, token } = Object(reviewer) as { readonly name?: unknown; readonly token?: unknown };
    if (typeof name !== 'string' || name.trim() === '') refuse(`reviewers.${at}.name`, 'is missing.');
    if (token === undefined || token === '')
      refuse(`reviewers.${at}.token`, 'is missing. Is its environment variable set?');
    if (typeof token !== 'string' || token.length < UNGUESSABLE_CHARS)
      refuse(
        `reviewers.${at}.token`,
        `must have at least ${UNGUESSABLE_CHARS} characters. Create one with: openssl rand -hex 32`,
      );
  }
}

function checkUrl(given: unknown): void {
  if (given === undefined) refuse('publicUrl', 'is missing. Pass the address that browsers use.');
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) refuse('publicUrl', 'must be an http(s) URL.');
  if (url?.search !== '' || url.hash !== '' || url.username !== '')
    refuse('publicUrl', 'must not contain a query, a fragment or a user.');
}

function has(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}

function refuse(option: string, why: string): never {
  throw new CulpritError('configuration', `createFetchHandler: ${option} ${why}`, { path: option });
}
