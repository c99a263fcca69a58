import type { Event } from './event.js';
import { trustOf } from './trust.js';

type Timed = Pick<Event, 'timestamp' | 'received_at' | 'door' | 'trust'>;

/** If a crash is reported later than this, its clock is assumed to be wrong. The limit of Sentry's Relay (`max_secs_in_past`). */
const LATE_MS = 30 * 24 * 60 * 60_000;
/** A clock that differs by more than this is shown. */
const DIFFERENT_MS = 5 * 60_000;

/**
 * When the event happened, as far as it can be trusted: a trusted sender's clock, unless it is ahead of the receipt or more
 * than 30 days behind it; else the time of receipt. ISO 8601, UTC.
 */
export function crashTimeOf(event: Timed): string {
  const { timestamp, received_at } = event;
  const ms = lateMs(event);
  return trustOf(event) === 'trusted' && ms > 0 && ms <= LATE_MS ? timestamp : received_at;
}

/** Whether the sender's clock differs from the time of receipt so much that both must be shown. */
export function clockDiffers(event: Pick<Event, 'timestamp' | 'received_at'>): boolean {
  return Math.abs(lateMs(event)) > DIFFERENT_MS;
}

function lateMs({ timestamp, received_at }: Pick<Event, 'timestamp' | 'received_at'>): number {
  return Date.parse(received_at) - Date.parse(timestamp);
}
