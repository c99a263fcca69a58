import type { JsonValue } from '../../domain/json.js';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?$/i;
/** Earlier times come from clocks that were never set. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
/** The maximum of a `Date`. */
const LAST_DATE = 8.64e15;

/**
 * Milliseconds since 1970 of an ISO 8601 string (UTC if it has no zone) or of seconds since 1970, as a number or a
 * string. Numbers too large for seconds are milliseconds. `null`: unreadable, or not between 2000 and 2200.
 */
export function parseTimestamp(value: JsonValue | undefined): number | null {
  const ms = readTimestamp(value);
  return ms !== null && ms >= EARLIEST && ms <= LATEST ? ms : null;
}

/** Whether the value is a time at all: a device whose clock was never set (1970) still sends a valid one. */
export function isTimestamp(value: JsonValue | undefined): boolean {
  const ms = readTimestamp(value);
  return ms !== null && ms >= 0 && ms <= LAST_DATE;
}

function readTimestamp(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? fromEpoch(value) : typeof value === 'string' ? fromText(value) : null;
}

function fromEpoch(value: number): number | null {
  return Number.isFinite(value) ? Math.round(Math.abs(value) >= 1e11 ? value : value * 1000) : null;
}

function fromText(value: string): number | null {
  const text = value.slice(0, 64).trim();
  if (/^\d{1,16}(?:\.\d{1,12})?$/.test(text)) return fromEpoch(Number(text));
  const match = ISO.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const midnight = Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1);
  if (new Date(midnight).getUTCDate() !== day || (month ?? 0) > 12) return null;
  if ((hour ?? 0) > 24 || (minute ?? 0) > 59 || (second ?? 0) > 60) return null;
  const fraction = match[7] === undefined ? 0 : Number(`0.${match[7]}`) * 1000;
  const clock = ((hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0)) * 1000 + Math.floor(fraction);
  return midnight + clock - zoneMs(match[8]);
}

function zoneMs(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000;
}

/** How far a sender's clock may be ahead of the edge's. */
const AHEAD_MS = 60_000;

/**
 * When the crash happened: the sender's time unless it is missing, unreadable or ahead of the time of receipt. ISO
 * 8601, UTC.
 */
export function crashTime(
  value: JsonValue | undefined,
  receivedAt: string,
): { at: string; corrected: boolean } {
  const received = parseTimestamp(receivedAt);
  const reported = parseTimestamp(value);
  if (reported === null) {
    return { at: iso(received ?? 0), corrected: value !== undefined && value !== null };
  }
  if (received !== null && reported > received + AHEAD_MS) return { at: iso(received), corrected: true };
  return { at: iso(reported), corrected: false };
}

const iso = (ms: number) => new Date(ms).toISOString();
