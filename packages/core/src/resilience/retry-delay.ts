/** Delays in ms: a list whose last entry repeats, or delays that double from `firstMs` up to `maxMs`. */
export type RetrySchedule = readonly number[] | { readonly firstMs: number; readonly maxMs: number };

/** The schedule and the limits of a retry delay. */
export interface RetryDelayOptions {
  /** Shortens each delay by a random share of at most this much (0 to 1), so that many clients do not retry together. */
  readonly jitter?: number;
  /** The delay that the service requested. The result is never shorter. */
  readonly retryAfterMs?: number | undefined;
}

/** Milliseconds to wait after this many failures in a row (1 or more). */
export function retryDelayMs(
  schedule: RetrySchedule,
  failures: number,
  { jitter = 0, retryAfterMs = 0 }: RetryDelayOptions = {},
): number {
  const delay = 'firstMs' in schedule ? doubled(schedule, failures) : listed(schedule, failures);
  return Math.max(retryAfterMs, Math.round(delay * (1 - jitter * Math.random())));
}

function doubled({ firstMs, maxMs }: { firstMs: number; maxMs: number }, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
}

function listed(delays: readonly number[], failures: number): number {
  return delays[Math.min(Math.max(failures, 1), delays.length) - 1] ?? 0;
}

/** Milliseconds of a `Retry-After` header, which holds seconds or an HTTP date; `undefined` if it is absent or invalid. */
export function parseRetryAfterMs(
  header: string | number | null | undefined,
  nowMs: number,
): number | undefined {
  if (header === null || header === undefined || header === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(String(header)) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
