import { CulpritError, isCulpritError } from '@culprit/core';
import { parseRetryAfterMs } from '@culprit/core/resilience';
import { badToken, MAY_BE_PENDING, refusalOf } from './refusals.js';

/** The relevant parts of an HTTP failure. */
export interface HttpFailure {
  /** 0: no response. */
  readonly status: number;
  /** True: the time limit was reached. */
  readonly timedOut?: boolean;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** GitHub's message, without the token. */
  readonly message: string;
  /** What GitHub found invalid in a request that it rejected with 422. */
  readonly errors?: readonly FieldError[];
  /** The request was not sent because GitHub gave the App no token: why, and what to do. */
  readonly unsent?: string;
  /** With 401: the personal token expired then, in milliseconds since 1970. */
  readonly expiredAt?: number;
}

interface FieldError {
  readonly field?: string;
  readonly code?: string;
  readonly value?: unknown;
  readonly message?: string;
}

/**
 * GitHub refused a request, or did not respond. It has no `status` of its own: Octokit would end a list of pages at an error of
 * status 409, and an issue that is not in the list is created.
 */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(readonly failure: HttpFailure) {
    super(failure.message);
  }
}

export function httpFailure(error: unknown): HttpFailure {
  return error instanceof RequestFailure ? error.failure : noResponse(error);
}

/** The failure of a request that got no response, as `fetch` or Octokit reports it. */
export function noResponse(error: unknown): HttpFailure {
  const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown };
  const timedOut = [name, Object(cause).name].some((one) => one === 'TimeoutError' || one === 'AbortError');
  return { status: 0, timedOut, headers: {}, message: 'no response' };
}

/** `assignees: ada is invalid; body: is too long` */
function describeFields(errors: readonly FieldError[] = []): string {
  const texts = errors.map(({ field, code, value, message }) => {
    const shown = typeof value === 'string' ? `${value.slice(0, 60)} is ` : '';
    return `${field ?? 'issue'}: ${message ?? `${shown}${code ?? 'invalid'}`}`;
  });
  return texts.length === 0 ? '' : ` (${texts.join('; ').slice(0, 300)})`;
}

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

/** `retry-after`, else the reset of the limit, else a minute, in GitHub's documented order. */
export function retryAfterMs({ headers }: Pick<HttpFailure, 'headers'>, now: number): number {
  const asked = parseRetryAfterMs(headers['retry-after'], now);
  if (asked !== undefined) return Math.max(1_000, asked);
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
    return Math.max(1_000, reset * 1_000 - now);
  }
  return 60_000;
}

/** A failed read. `need` names the required permission. */
export function codeHostError(
  failure: HttpFailure,
  repository: string,
  need: string,
  now: number,
): CulpritError {
  const { status, message } = failure;
  if (isRateLimit(failure)) {
    return new CulpritError('code_host_unavailable', 'GitHub’s rate limit is exceeded.', {
      retryAfterMs: retryAfterMs(failure, now),
    });
  }
  if (failure.unsent !== undefined)
    return isOutage(failure)
      ? unavailable(failure.unsent)
      : new CulpritError('code_host_forbidden', failure.unsent);
  if (status === 401) return new CulpritError('code_host_forbidden', badToken(failure));
  const refusal = refusalOf(failure, repository);
  if (refusal !== null) return new CulpritError('code_host_forbidden', refusal);
  if (status === 403) return new CulpritError('code_host_forbidden', forbidden(failure, repository, need));
  if (status === 404 || status === 410 || status === 451) {
    const detail = `GitHub does not show ${repository}. Check the name, and that the token may see it (${need}). ${MAY_BE_PENDING}`;
    return new CulpritError('repository_not_found', detail);
  }
  if (status === 409 && /empty/i.test(message))
    return new CulpritError('revision_not_found', `${repository} has no commits.`);
  if (status >= 400 && status < 500 && status !== 408) {
    return new CulpritError('code_host_forbidden', `GitHub rejects the request (${status}): ${message}`);
  }
  if (failure.timedOut) return unavailable('GitHub did not respond in time.', 'timeout');
  if (status === 0) return unavailable('GitHub is unreachable.');
  return unavailable(`GitHub returned ${status}.`, status === 502 || status === 504 ? 'overload' : undefined);
}

/**
 * `overload`: GitHub gave up on the request, and a smaller one may succeed. `timeout`: no response within `timeoutMs`. `schema`: an
 * Enterprise Server that is too old for the query.
 */
type UnavailableReason = 'overload' | 'timeout' | 'schema';

function unavailable(detail: string, reason?: UnavailableReason): CulpritError {
  return new CulpritError('code_host_unavailable', detail, reason && { reason });
}

export function isUnavailable(error: unknown, reason: UnavailableReason): boolean {
  return isCulpritError(error, 'code_host_unavailable') && error.reason === reason;
}

/** What a refused write proves. Any failure that is not listed may have created the issue, or the comment. */
export function publishError(
  failure: HttpFailure,
  repository: string,
  now: number,
  what: 'issue' | 'comment' = 'issue',
): CulpritError {
  const { status, message } = failure;
  if (isRateLimit(failure)) {
    return new CulpritError('publish_wait', `GitHub’s rate limit is exceeded; the ${what} was not created.`, {
      retryAfterMs: retryAfterMs(failure, now),
    });
  }
  if (failure.unsent !== undefined)
    return isOutage(failure) ? new CulpritError('publish_wait', failure.unsent) : refused(failure.unsent);
  const refusal = refusalOf(failure, repository);
  if (refusal !== null) return refused(refusal);
  switch (status) {
    case 401:
      return refused(badToken(failure));
    case 403:
      return refused(forbidden(failure, repository, 'Issues: write'));
    case 404:
      return refused(
        `GitHub does not show ${repository}. Check the name, and that the token may write its issues (Issues: write). ${MAY_BE_PENDING}`,
      );
    case 410:
      return refused(`Issues are disabled in ${repository}. Enable them in its settings.`);
    case 400:
    case 422:
      return refused(`GitHub rejects the ${what}: ${message}${describeFields(failure.errors)}`);
    default: {
      const detail = status === 0 ? 'GitHub did not respond.' : `GitHub returned ${status}.`;
      return new CulpritError(
        'publish_ambiguous',
        `${detail} The ${what} may exist; the ${what} list is checked next.`,
      );
    }
  }
}

/** GitHub may answer the same request later. */
function isOutage({ status }: HttpFailure): boolean {
  return status === 0 || status === 408 || status >= 500;
}

function refused(detail: string): CulpritError {
  return new CulpritError('publish_refused', detail);
}

/** Names the missing permission, which GitHub reports in a header. */
function forbidden({ headers, message }: HttpFailure, repository: string, need: string): string {
  const header = headers['x-accepted-github-permissions'];
  const rights = typeof header === 'string' && header !== '' ? words(header) : need;
  return `The token lacks a permission on ${repository}: it needs ${rights}. (GitHub: ${message})`;
}

/** `issues=write; metadata=read` becomes `Issues: write or Metadata: read`. */
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
