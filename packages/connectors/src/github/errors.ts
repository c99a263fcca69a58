import { CulpritError, isCulpritError } from '@culprit/core';
import { parseRetryAfterMs } from '@culprit/core/resilience';

/** What of an HTTP failure matters here, whichever library raised it. */
export interface HttpFailure {
  /** 0: no answer came. */
  readonly status: number;
  /** True: the time was over before an answer came. */
  readonly timedOut?: boolean;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** GitHub's own words; never holds the token. */
  readonly message: string;
}

/** A library that is not installed is no failure of HTTP: that error says what to do, and goes on as it is. */
export function httpFailure(error: unknown): HttpFailure {
  if (isCulpritError(error, 'connector_missing')) throw error;
  const { name, cause, status, response, message } = error as {
    name?: unknown;
    cause?: { name?: unknown };
    status?: unknown;
    response?: { headers?: HttpFailure['headers']; data?: { message?: unknown } };
    message?: unknown;
  };
  const said = response?.data?.message ?? message;
  return {
    status: typeof status === 'number' && response ? status : 0,
    timedOut: [name, cause?.name].some((one) => one === 'TimeoutError' || one === 'AbortError'),
    headers: response?.headers ?? {},
    message: typeof said === 'string' ? said.slice(0, 500) : 'no answer',
  };
}

const RATE_WORDS = /rate limit|abuse detection|submitted too quickly/i;

/** True where GitHub asks to wait: it did nothing. */
export function isRateLimit({ status, headers, message }: HttpFailure): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    RATE_WORDS.test(message)
  );
}

/** A GraphQL answer that is 200 and yet only asks to wait. */
export function asksToWait(errors: readonly { readonly type?: string; readonly message: string }[]): boolean {
  return errors.some(({ type, message }) => type === 'RATE_LIMITED' || RATE_WORDS.test(message));
}

/** `retry-after`, else the reset of the limit, else a minute (GitHub's documented order). */
export function retryAfterMs({ headers }: Pick<HttpFailure, 'headers'>, now: number): number {
  const asked = parseRetryAfterMs(headers['retry-after'], now);
  if (asked !== undefined) return Math.max(1_000, asked);
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
    return Math.max(1_000, reset * 1_000 - now);
  }
  return 60_000;
}

/** A failed question to the code host. `need` names the right that the question takes. */
export function codeHostError(
  failure: HttpFailure,
  repository: string,
  need: string,
  now: number,
): CulpritError {
  const { status, message } = failure;
  if (isRateLimit(failure)) {
    return new CulpritError('code_host_unavailable', 'GitHub asks to wait: the rate limit is used up.', {
      retryAfterMs: retryAfterMs(failure, now),
    });
  }
  if (status === 401) {
    return new CulpritError(
      'code_host_forbidden',
      'GitHub refuses the token: it is wrong, revoked or expired.',
    );
  }
  if (status === 403) return new CulpritError('code_host_forbidden', forbidden(failure, repository, need));
  if (status === 404 || status === 410 || status === 451) {
    const detail = `GitHub shows no ${repository}. Check the name, and that the token may see it (${need}).`;
    return new CulpritError('repository_not_found', detail);
  }
  if (status === 409 && /empty/i.test(message))
    return new CulpritError('revision_not_found', `${repository} has no commits.`);
  if (status >= 400 && status < 500 && status !== 408) {
    return new CulpritError('code_host_forbidden', `GitHub refuses the question (${status}): ${message}`);
  }
  if (failure.timedOut) return unavailable('GitHub does not answer in time.', 'timeout');
  if (status === 0) return unavailable('GitHub does not answer.');
  return unavailable(
    `GitHub fails with ${status}.`,
    status === 502 || status === 504 ? 'overload' : undefined,
  );
}

/** `overload`: GitHub gave up on the request, and a smaller one may succeed. `timeout`: no response within `timeoutMs`. */
type UnavailableReason = 'overload' | 'timeout';

function unavailable(detail: string, reason?: UnavailableReason): CulpritError {
  return new CulpritError('code_host_unavailable', detail, reason && { reason });
}

export function isUnavailable(error: unknown, reason: UnavailableReason): boolean {
  return isCulpritError(error, 'code_host_unavailable') && error.reason === reason;
}

/** What a refused write proves. Everything that is not listed may have created the issue. */
export function publishError(failure: HttpFailure, repository: string, now: number): CulpritError {
  const { status, message } = failure;
  if (isRateLimit(failure)) {
    return new CulpritError('publish_wait', 'GitHub asks to wait before the next issue.', {
      retryAfterMs: retryAfterMs(failure, now),
    });
  }
  switch (status) {
    case 401:
      return refused('GitHub refuses the token: it is wrong, revoked or expired.');
    case 403:
      if (/archived/i.test(message)) return refused(`${repository} is archived: it takes no issues.`);
      return refused(forbidden(failure, repository, 'Issues: write'));
    case 404:
      return refused(
        `GitHub shows no ${repository}. Check the name, and that the token may write its issues (Issues: write).`,
      );
    case 410:
      return refused(`Issues are disabled in ${repository}. Turn them on in its settings.`);
    case 400:
    case 422:
      return refused(`GitHub refuses the issue: ${message}`);
    default: {
      const detail = status === 0 ? 'GitHub did not answer.' : `GitHub failed with ${status}.`;
      return new CulpritError('publish_ambiguous', `${detail} The issue may exist; the list will tell.`);
    }
  }
}

function refused(detail: string): CulpritError {
  return new CulpritError('publish_refused', detail);
}

/** Names the missing right: GitHub tells it in a header. */
function forbidden({ headers, message }: HttpFailure, repository: string, need: string): string {
  const told = headers['x-accepted-github-permissions'];
  const rights = typeof told === 'string' && told !== '' ? words(told) : need;
  return `The token lacks a right on ${repository}: it needs ${rights}. (GitHub: ${message})`;
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
