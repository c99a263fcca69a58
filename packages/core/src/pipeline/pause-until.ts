import { LONGEST_WAIT_MS } from './publish-pauses.js';

/** The delay until a stored time. If the clock was set back since, the time may be years away, so no delay is longer than any that is stored. */
export function pauseUntil(notBefore: string | null, now: number): number {
  return notBefore === null ? 0 : Math.min(Date.parse(notBefore) - now, LONGEST_WAIT_MS);
}
