import { type HttpFailure, isRateLimit, RequestFailure, retryAfterMs } from './errors.js';

export type ApiSurface = 'graphql' | 'rest';

/** GitHub's limits reset by the hour. Longer waits can only come from a wrong clock. */
const LONGEST_MS = 60 * 60_000;
/** A caller that waited as instructed may be early by the timer's resolution. */
const EARLY_MS = 1_000;

/**
 * The time until which GitHub's rate limits block one token. Nothing is sent before then: further requests prolong the block
 * (docs.github.com, "Best practices for using the REST API"). A primary limit blocks its own API, a secondary limit both.
 * GitHub Enterprise has no limits unless its administrator enables them; then they have the same format.
 */
export class Limits {
  private readonly until: Record<ApiSurface, number> = { graphql: 0, rest: 0 };

  observe(surface: ApiSurface, failure: HttpFailure, now: number): void {
    if (!isRateLimit(failure)) return;
    const until = now + Math.min(retryAfterMs(failure, now), LONGEST_MS);
    const primary =
      failure.headers['x-ratelimit-remaining'] === '0' && failure.headers['retry-after'] === undefined;
    for (const closed of primary ? [surface] : (['graphql', 'rest'] as const)) {
      this.until[closed] = Math.max(this.until[closed], until);
    }
  }

  /** The error that GitHub would return during the wait; `null` once it is over. */
  refusal(surface: ApiSurface, now: number): RequestFailure | null {
    const left = this.until[surface] - now;
    if (left <= EARLY_MS) return null;
    const headers = { 'retry-after': String(Math.ceil(left / 1_000)) };
    return new RequestFailure({ status: 429, headers, message: 'rate limit exceeded' });
  }
}
