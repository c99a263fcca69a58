import { CulpritError, isCulpritError } from '@culprit/core';
import { RequestFailure } from './client.js';

const WAIT_MS = 60_000;

/** Throws whatever is no failed request, such as the reason of an aborted signal. */
export function requestFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  throw error;
}

/** `missing`: what 404 means. The server answers it, too, for what the token may not see. */
export function codeHostError(error: unknown, repository: string, signal: AbortSignal): CulpritError {
  if (isCulpritError(error)) return error;
  signal.throwIfAborted();
  const { status, message, more } = requestFailure(error);
  if (asksToWait(status))
    return new CulpritError('code_host_unavailable', `The server's rate limit is exceeded.`, {
      retryAfterMs: more.retryAfterMs ?? WAIT_MS,
    });
  if (status === 401) return new CulpritError('code_host_forbidden', BAD_TOKEN);
  if (status === 403) return new CulpritError('code_host_forbidden', forbidden(message, repository));
  if (status === 404) return new CulpritError('repository_not_found', notShown(repository));
  if (status >= 400 && status < 500 && status !== 408)
    return new CulpritError('code_host_forbidden', `The server rejects the request (${status}): ${message}`);
  return new CulpritError('code_host_unavailable', unanswered(status, more.timedOut));
}

/** What a refused write proves. Any failure that is not listed may have created the issue, or the comment. */
export function publishError(error: unknown, repository: string, what: 'issue' | 'comment'): CulpritError {
  const { status, message, more } = requestFailure(error);
  const refused = (detail: string) => new CulpritError('publish_refused', detail);
  if (asksToWait(status))
    return new CulpritError(
      'publish_wait',
      `The server's rate limit is exceeded; the ${what} was not created.`,
      { retryAfterMs: more.retryAfterMs ?? WAIT_MS },
    );
  switch (status) {
    case 401:
      return refused(BAD_TOKEN);
    case 403:
      return refused(forbidden(message, repository));
    case 404:
      return refused(notShown(repository));
    case 423:
      return refused(
        `${repository} is archived, so it accepts no ${what}s. Unarchive it, or publish to another one.`,
      );
    case 400:
    case 412:
    case 413:
    case 422:
      return refused(`The server rejects the ${what}: ${message}`);
    default:
      return new CulpritError(
        'publish_ambiguous',
        `${unanswered(status, more.timedOut)} The ${what} may exist; the ${what} list is checked next.`,
      );
  }
}

export function issuesDisabled(repository: string): CulpritError {
  return new CulpritError(
    'publish_refused',
    `Issues are disabled in ${repository}. Enable them in its settings, under "Units".`,
  );
}

export function unreadable(): CulpritError {
  return new CulpritError('code_host_unavailable', 'The server sent an unreadable response.');
}

export const BAD_TOKEN = 'The server rejects the token: it is invalid or was deleted. Create a new one.';

/** Neither program limits requests itself; a proxy in front of it does, and did not pass the request on. */
function asksToWait(status: number): boolean {
  return status === 429;
}

/** `token does not have at least one of required scope(s): [write:issue]` names the scope. */
export function forbidden(message: string, repository: string): string {
  const scopes = /required scope\(s\): \[([\w: ,]{1,200})\]/.exec(message)?.[1];
  return scopes === undefined
    ? `The token's user may not do this in ${repository}. Add the user to the repository or its team. (${message})`
    : `The token lacks the scope ${scopes}. Create one that has it.`;
}

export function notShown(repository: string): string {
  return `The server does not show ${repository}. Check the name, and that the token's user may see it.`;
}

function unanswered(status: number, timedOut = false): string {
  if (status !== 0) return `The server returned ${status}.`;
  return timedOut ? 'The server did not respond in time.' : 'The server is unreachable.';
}
