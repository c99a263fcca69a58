import type { DoubleClock } from '../shared/clock.js';
import { Windows } from '../shared/clock.js';
import type { DoubleLimits, DoubleOptions } from './options.js';

/** See RULES.md, limits. */
const GITHUB_LIMITS: DoubleLimits = {
  contentPerMinute: 80,
  contentPerHour: 500,
  requestsPerHour: 5_000,
  restPointsPerMinute: 900,
  graphqlPointsPerMinute: 2_000,
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface Refused {
  readonly kind: 'primary' | 'secondary';
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number;
}

/** Counts each user's requests in sliding windows. */
export class Limits {
  private readonly limits: DoubleLimits | null;
  private readonly spent: Windows;

  constructor(
    options: Pick<DoubleOptions, 'limits' | 'enterprise'>,
    private readonly clock: DoubleClock,
  ) {
    const given = options.limits ?? (options.enterprise ? false : {});
    this.spent = new Windows(() => clock.now(), HOUR);
    this.limits = given === false ? null : { ...GITHUB_LIMITS, ...given };
  }

  /** Counts a request, or returns why it is refused. */
  take(user: string, api: 'rest' | 'graphql', method: string): Refused | null {
    if (this.limits === null) return null;
    const write = api === 'rest' && method !== 'GET';
    const points = api === 'graphql' ? this.limits.graphqlPointsPerMinute : this.limits.restPointsPerMinute;
    const requests = `${user} ${api}`;
    const weights = `${requests} points`;
    const refused =
      this.over(requests, 1, this.limits.requestsPerHour, HOUR, 'primary') ??
      this.over(weights, write ? 5 : 1, points, MINUTE, 'secondary');
    if (refused) return refused;
    this.spent.note(requests, 1);
    this.spent.note(weights, write ? 5 : 1);
    return null;
  }

  /** Counts a creation, or returns why it is refused. */
  takeContent(user: string): Refused | null {
    if (this.limits === null) return null;
    const content = `${user} content`;
    const refused =
      this.over(content, 1, this.limits.contentPerMinute, MINUTE, 'secondary') ??
      this.over(content, 1, this.limits.contentPerHour, HOUR, 'secondary');
    if (refused === null) this.spent.note(content, 1);
    return refused;
  }

  /** Rate-limit headers of every response; none without limits. */
  headers(user: string | null, api: 'rest' | 'graphql'): Record<string, string> {
    if (this.limits === null) return {};
    const limit = this.limits.requestsPerHour;
    const kept = user === null ? [] : this.spent.within(`${user} ${api}`, HOUR);
    const first = kept[0]?.at ?? this.clock.now();
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - kept.length)),
      'x-ratelimit-used': String(kept.length),
      'x-ratelimit-reset': String(Math.ceil((first + HOUR) / 1_000)),
    };
  }

  private over(
    key: string,
    cost: number,
    most: number,
    windowMs: number,
    kind: Refused['kind'],
  ): Refused | null {
    const retryAfter = this.spent.wait(key, cost, most, windowMs);
    return retryAfter === 0 ? null : { kind, retryAfter };
  }
}
