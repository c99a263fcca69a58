import type { Problem } from './operations.js';

interface ErrorDetails {
  /** The request member that the problem names. */
  readonly path?: string | null | undefined;
  readonly retryAfterMs?: number | null;
  readonly problem?: Partial<Problem> | null;
  readonly cause?: unknown;
}

/** Why a request failed: core's problem document, or why there is none. `message` says what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /**
   * A code of the [error catalogue](https://github.com/culprit/culprit/blob/main/docs/reference/errors.md), with status 0 if the request was not sent;
   * `unreachable` without a response; `unreadable` for a response that is not a problem document.
   */
  readonly code: string;
  /** The request member that the problem names. */
  readonly path: string | null;
  /** How long core asks to wait, in milliseconds; `null` if it does not say. */
  readonly retryAfterMs: number | null;
  /** The whole problem document, with members such as `state` and `digest`; `null` without one. */
  readonly problem: Partial<Problem> | null;

  constructor(
    status: number,
    code: string,
    message: string,
    { path = null, retryAfterMs = null, problem = null, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.path = path ?? null;
    this.retryAfterMs = retryAfterMs;
    this.problem = problem;
  }
}

/** The error of a request that got no response: core is not there, or the time limit passed. */
export function unreachable(url: string, error: unknown): ApiError {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  const why = name === 'TimeoutError' ? ' in time' : cause?.code === undefined ? '' : ` (${cause.code})`;
  const message = `${new URL(url).origin} does not respond${why}.`;
  return new ApiError(0, 'unreachable', message, { cause: error });
}

/** The error of a token that no header can carry. */
export function unsendable(): ApiError {
  const message =
    'The token contains a line break or a character that no token has. Copy the token alone, without the text around it.';
  return new ApiError(0, 'unauthenticated', message);
}

/** The error that a response describes. `address`: what was asked. */
export function errorOf(response: Response, text: string, address: string): ApiError {
  const { status, headers } = response;
  const problem = parse(text);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  if (problem?.code === undefined || problem.title === undefined) {
    return unreadable(status, address, retryAfterMs);
  }
  const { code, detail, title, path } = problem;
  return new ApiError(status, code, detail || title, { path, retryAfterMs, problem });
}

/** The error of a reply that core did not write, such as a proxy's. `address`: what was asked. */
export function unreadable(status: number, address: string, retryAfterMs: number | null = null): ApiError {
  const message = `${address} sent a reply that is not Culprit’s (status ${status}).`;
  return new ApiError(status, 'unreadable', message, { retryAfterMs });
}

function parse(text: string): Partial<Problem> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Partial<Problem>) : null;
  } catch {
    return null;
  }
}
