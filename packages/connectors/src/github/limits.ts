import { type HttpFailure, isRateLimit, retryAfterMs } from './errors.js';

export type ApiSurface = 'graphql' | 'rest';

/** GitHub counts by the hour, so no wait is longer; a wrong clock must not make it so. */
const LONGEST_MS = 60 * 60_000;
/** Who waited as long as told may be early by the coarseness of a timer. */
const EARLY_MS = 1_000;

/**
 * Until when GitHub asked one token to wait. Nothing is sent before: who goes on asking is locked out for longer
 * (docs.github.com, "Best practices for using the REST API"). A used-up primary limit closes its own door, a secondary
 * limit both. GitHub Enterprise has no limits unless its owner turns them on; then they read the same.
 */
export class Limits {
  private readonly until: Record<ApiSurface, number> = { graphql: 0, rest: 0 };

  heed(door: ApiSurface, failure: HttpFailure, now: number): void {
    if (!isRateLimit(failure)) return;
    const until = now + Math.min(retryAfterMs(failure, now), LONGEST_MS);
    const primary =
      failure.headers['x-ratelimit-remaining'] === '0' && failure.headers['retry-after'] === undefined;
    for (const closed of primary ? [door] : (['graphql', 'rest'] as const)) {
      this.until[closed] = Math.max(this.until[closed], until);
    }
  }

  /** What GitHub would answer while the wait lasts, in the shape of the libraries' errors; `null` once it is over. */
  refusal(door: ApiSurface, now: number): Error | null {
    const left = this.until[door] - now;
    if (left <= EARLY_MS) return null;
    const message = 'rate limit: GitHub asked to wait';
    const headers = { 'retry-after': String(Math.ceil(left / 1_000)) };
    return Object.assign(new Error(message), { status: 429, response: { headers, data: { message } } });
  }
}
