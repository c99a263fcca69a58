import type { DoubleClock } from '../shared/clock.js';
import type { Answer } from '../shared/server.js';
import type { DoubleLimits, LiveOptions } from './options.js';

/** GitLab.com's (docs: user/gitlab_com, "Rate limits on GitLab.com"). */
const GITLAB_COM: DoubleLimits = { requestsPerMinute: 2_000, issuesPerMinute: 200 };
const MINUTE = 60_000;

/** Counts each user's requests in minutes of the clock, as GitLab does. */
export class Limits {
  private readonly limits: DoubleLimits | null;
  private readonly counts = new Map<string, number>();

  constructor(
    { limits = {} }: Pick<LiveOptions, 'limits'>,
    private readonly clock: DoubleClock,
  ) {
    this.limits = limits === false ? null : { ...GITLAB_COM, ...limits };
  }

  /** Counts a request; the refusal if it is one too many. */
  request(user: string): Answer | null {
    if (this.limits === null) return null;
    const left = this.limits.requestsPerMinute - this.count(user);
    if (left >= 0) return null;
    const reset = this.reset();
    const headers = {
      'retry-after': String(Math.max(1, Math.ceil((reset - this.clock.now()) / 1_000))),
      'ratelimit-limit': String(this.limits.requestsPerMinute),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil(reset / 1_000)),
    };
    return { status: 429, headers, body: 'Retry later\n' };
  }

  /** Counts a creation in a project; the refusal tells no time. */
  creation(user: string, project: string): Answer | null {
    if (this.limits === null || this.count(`${user} ${project}`) <= this.limits.issuesPerMinute) return null;
    const error = 'This endpoint has been requested too many times. Try again later.';
    return { status: 429, body: { message: { error } } };
  }

  private reset(): number {
    return (Math.floor(this.clock.now() / MINUTE) + 1) * MINUTE;
  }

  private count(key: string): number {
    const slot = `${key} ${this.reset()}`;
    const count = (this.counts.get(slot) ?? 0) + 1;
    this.counts.set(slot, count);
    return count;
  }
}
