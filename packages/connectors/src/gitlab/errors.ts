import { CulpritError } from '@culprit/core';
import { parseRetryAfterMs } from '@culprit/core/resilience';
import { RequestFailure, TOO_LARGE } from './request-failure.js';

type Failure = Pick<RequestFailure, 'status' | 'message' | 'headers' | 'timedOut' | 'captcha'>;

/** Throws anything that is not a failed request, because it is a bug or the caller's abort. */
export function requestFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  throw error;
}

/** True if GitLab refused the request because of a rate limit; it did nothing. */
export function isRateLimit({ status }: Pick<Failure, 'status'>): boolean {
  return status === 429;
}

/** `Retry-After`, else the reset of the limit, else a minute, the window of most of GitLab's limits. */
export function retryAfterMs({ headers }: Pick<Failure, 'headers'>, now: number): number {
  const asked = parseRetryAfterMs(headers['retry-after'], now);
  if (asked !== undefined) return Math.max(1_000, asked);
  const reset = Number(headers['ratelimit-reset']);
  return Number.isFinite(reset) && reset > 0 ? Math.max(1_000, reset * 1_000 - now) : 60_000;
}

/** A failed read. `need` names the required scope and role. */
export function codeHostError(failure: Failure, repository: string, need: string): CulpritError {
  const { status, message } = failure;
  if (isRateLimit(failure))
    return new CulpritError('code_host_unavailable', 'GitLab’s rate limit is exceeded.', {
      retryAfterMs: retryAfterMs(failure, Date.now()),
    });
  if (status === TOO_LARGE)
    return new CulpritError('code_host_unavailable', 'The response of GitLab is too large.', {
      retryable: false,
    });
  if (status === 401) return new CulpritError('code_host_forbidden', badToken(message));
  if (status === 403) return new CulpritError('code_host_forbidden', forbidden(message, repository, need));
  if (status === 404) return new CulpritError('repository_not_found', hidden(repository, need));
  if (status >= 400 && status < 500 && status !== 408)
    return new CulpritError('code_host_forbidden', `GitLab rejects the request (${status}): ${message}`);
  if (failure.timedOut) return new CulpritError('code_host_unavailable', 'GitLab did not respond in time.');
  const detail = status === 0 ? 'GitLab is unreachable.' : `GitLab returned ${status}.`;
  return new CulpritError('code_host_unavailable', detail);
}

/** What a refused write proves. Any failure that is not listed may have created the issue, or the comment. */
export function publishError(
  failure: Failure,
  repository: string,
  what: 'issue' | 'comment' = 'issue',
): CulpritError {
  const { status, message, captcha } = failure;
  if (captcha) return refused(SPAM(what));
  if (isRateLimit(failure))
    return new CulpritError('publish_wait', `GitLab’s rate limit is exceeded; the ${what} was not created.`, {
      retryAfterMs: retryAfterMs(failure, Date.now()),
    });
  switch (status) {
    case 401:
      return refused(badToken(message));
    case 403:
      return refused(forbidden(message, repository, TO_WRITE));
    case 404:
      return refused(hidden(repository, TO_WRITE));
    case 400:
    case 405:
    case 422:
      return refused(`GitLab rejects the ${what}: ${message}`);
    default: {
      const detail = status === 0 ? 'GitLab did not respond.' : `GitLab returned ${status}.`;
      return new CulpritError(
        'publish_ambiguous',
        `${detail} The ${what} may exist; the ${what} list is checked next.`,
      );
    }
  }
}

/** `needs_captcha_response`, 409: nothing was created. */
const SPAM = (what: string) =>
  `GitLab takes the ${what} for spam and asks for a captcha, which only a person in a browser can solve. Ask an administrator to mark the token’s user as trusted, or write the issue by hand.`;

export const TO_READ = 'scope read_api, and at least the role Reporter';
export const TO_WRITE = 'scope api, and at least the role Reporter';

export function refused(detail: string): CulpritError {
  return new CulpritError('publish_refused', detail);
}

export function unreadable(): CulpritError {
  return new CulpritError('code_host_unavailable', 'GitLab sent an unreadable response.');
}

export function noRevision(sha: string, repository: string): CulpritError {
  return new CulpritError('revision_not_found', `${repository} has no commit ${sha.slice(0, 40)}.`);
}

function badToken(message: string): string {
  const why = /expired/i.test(message) ? 'it is expired' : /revoked/i.test(message) ? 'it is revoked' : null;
  return `GitLab rejects the token: ${why ?? 'it is invalid, revoked or expired'}. Create a new one.`;
}

/** Names the missing scope: `insufficient_scope` is about the token, any other refusal about its user's role. */
function forbidden(message: string, repository: string, need: string): string {
  return `The token lacks a permission on ${repository}: it needs ${need}. (GitLab: ${message})`;
}

function hidden(repository: string, need: string): string {
  return `GitLab does not show ${repository}. Check the name, and that the token may see it (${need}).`;
}
