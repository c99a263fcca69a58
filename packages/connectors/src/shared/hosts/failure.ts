import { parseRetryAfterMs } from '@culprit/core/resilience';

/** A host refused a request, or did not respond. */
export interface HttpFailure {
  /** 0: no response. */
  readonly status: number;
  /** True: the time limit was reached, or the caller gave up. */
  readonly timedOut?: boolean;
  /** True: the response is larger than what is read. */
  readonly tooLarge?: boolean;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** The host's message, without the token. */
  readonly message: string;
  /** What the host found invalid in a request that it rejected with 422. */
  readonly errors?: readonly FieldError[];
  /** The host takes the text for spam, and wants a captcha to be solved. */
  readonly captcha?: boolean;
  /** The request was not sent because the host gave no token: why, and what to do. */
  readonly unsent?: string;
  /** With 401: the personal token expired then, in milliseconds since 1970. */
  readonly expiredAt?: number;
}

export interface FieldError {
  readonly field?: string;
  readonly code?: string;
  readonly value?: unknown;
  readonly message?: string;
}

/**
 * What a request rejects with. It has no `status` of its own: Octokit would end a list of pages at an error of status 409, and an issue
 * that is not in the list is created.
 */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(readonly failure: HttpFailure) {
    super(failure.message);
  }
}

/** Throws anything that is not a failed request, because it is a bug or the caller's abort. */
export function requestFailure(error: unknown): HttpFailure {
  if (error instanceof RequestFailure) return error.failure;
  throw error;
}

/** The failure of a request that got no response, as `fetch` or Octokit reports it. */
export function noResponse(error: unknown, message = 'no response'): HttpFailure {
  const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown };
  const timedOut = [name, Object(cause).name].some((one) => one === 'TimeoutError' || one === 'AbortError');
  return { status: 0, timedOut, headers: {}, message };
}

/** A failed request is an answer. */
export async function outcomeOf<Answer>(request: Promise<Answer>): Promise<Answer | RequestFailure> {
  return request.catch((error: unknown) => {
    if (error instanceof RequestFailure) return error;
    throw error;
  });
}

/** `Retry-After`, else the reset of the limit, else a minute: the order that the hosts document. */
export function retryAfterMs({ headers }: Pick<HttpFailure, 'headers'>, now: number): number {
  const asked = parseRetryAfterMs(headers['retry-after'], now);
  if (asked !== undefined) return Math.max(1_000, asked);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  const reset = Number(isUsedUp ? headers['x-ratelimit-reset'] : headers['ratelimit-reset']);
  return Number.isFinite(reset) && reset > 0 ? Math.max(1_000, reset * 1_000 - now) : 60_000;
}

/** A host has one limit for both of its interfaces, or one for each. */
export type ApiSurface = 'graphql' | 'rest';

/** Limits reset by the hour. Longer waits can only come from a wrong clock. */
const LONGEST_MS = 60 * 60_000;
/** A caller that waited as instructed may be early by the timer's resolution. */
const EARLY_MS = 1_000;

/**
 * The time until which a host's rate limits block one token. Nothing is sent before then: further requests prolong the block
 * (docs.github.com, "Best practices for using the REST API"). A primary limit of GitHub blocks its own interface, any other limit both.
 * GitHub Enterprise has no limits unless its administrator enables them; then they have the same format.
 */
export class Limits {
  private readonly until: Record<ApiSurface, number> = { graphql: 0, rest: 0 };

  constructor(private readonly isRateLimit: (failure: HttpFailure) => boolean) {}

  observe(surface: ApiSurface, failure: HttpFailure, now: number): void {
    if (!this.isRateLimit(failure)) return;
    const until = now + Math.min(retryAfterMs(failure, now), LONGEST_MS);
    const primary =
      failure.headers['x-ratelimit-remaining'] === '0' && failure.headers['retry-after'] === undefined;
    for (const closed of primary ? [surface] : (['graphql', 'rest'] as const)) {
      this.until[closed] = Math.max(this.until[closed], until);
    }
  }

  /** The error that the host would return during the wait; `null` once it is over. */
  refusal(surface: ApiSurface, now: number): RequestFailure | null {
    const left = this.until[surface] - now;
    if (left <= EARLY_MS) return null;
    const headers = { 'retry-after': String(Math.ceil(left / 1_000)) };
    return new RequestFailure({ status: 429, headers, message: 'rate limit exceeded' });
  }
}
