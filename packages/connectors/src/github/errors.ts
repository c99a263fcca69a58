import { CulpritError, isCulpritError } from '@culprit/core';
import { hostErrors } from '../shared/hosts/errors.js';
import type { HttpFailure } from '../shared/hosts/failure.js';
import { badToken, MAY_BE_PENDING, refusalOf } from './refusals.js';

const RATE_WORDS = /rate limit|abuse detection|submitted too quickly/i;

/** True if GitHub refused the request because of a rate limit; it did nothing. */
export function isRateLimit({ status, headers, message }: HttpFailure): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    RATE_WORDS.test(message)
  );
}

/** A GraphQL response with status 200 that reports only a rate limit. */
export function asksToWait(errors: readonly { readonly type?: string; readonly message: string }[]): boolean {
  return errors.some(({ type, message }) => type === 'RATE_LIMITED' || RATE_WORDS.test(message));
}

export const errors = hostErrors({
  name: 'GitHub',
  needs: { code: 'Contents: read', issues: 'Issues: read', write: 'Issues: write' },
  isRateLimit,
  badToken,
  forbidden({ headers, message }, repository, need) {
    const header = headers['x-accepted-github-permissions'];
    const rights = typeof header === 'string' && header !== '' ? words(header) : need;
    return `The token lacks a permission on ${repository}: it needs ${rights}. (GitHub: ${message})`;
  },
  notShown: (repository, need) =>
    `GitHub does not show ${repository}. Check the name, and that the token may see it (${need}). ${MAY_BE_PENDING}`,
  hiding: [404, 410, 451],
  isNothing: ({ status }) => [404, 409, 422].includes(status),
  unread(failure, repository) {
    const refusal = refusalOf(failure, repository);
    if (refusal !== null) return new CulpritError('code_host_forbidden', refusal);
    return failure.status === 409 && /empty/i.test(failure.message)
      ? new CulpritError('revision_not_found', `${repository} has no commits.`)
      : null;
  },
  rejecting: [400, 422],
  uncreated(failure, repository) {
    const disabled = `Issues are disabled in ${repository}. Enable them in its settings.`;
    return refusalOf(failure, repository) ?? (failure.status === 410 ? disabled : null);
  },
});
export const { answered, answeredOrNull, read, unreadable } = errors;

/** `schema`: an Enterprise Server that is too old for the query. For the others see `hostErrors`. */
export function isUnavailable(error: unknown, reason: 'overload' | 'timeout' | 'schema'): boolean {
  return isCulpritError(error, 'code_host_unavailable') && error.reason === reason;
}

/** `issues=write; metadata=read` becomes `Issues: write, Metadata: read`. */
function words(header: string): string {
  return header
    .split(/[;,]/)
    .map((part) => part.trim().split('='))
    .filter(([name]) => name)
    .map(
      ([name = '', level = '']) =>
        `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}: ${level}`,
    )
    .join(', ');
}
