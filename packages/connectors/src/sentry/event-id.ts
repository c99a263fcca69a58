import { malformedEnvelope } from './envelope.js';

const SIMPLE = /^[0-9a-f]{32}$/i;
const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Normalises 32 hex digits or a dashed UUID to lower case without dashes. `null` if missing or null. */
export function readEventId(value: unknown, path: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && (SIMPLE.test(value) || DASHED.test(value))) {
    return value.replaceAll('-', '').toLowerCase();
  }
  throw malformedEnvelope('event_id must be 32 hex digits or a UUID', path);
}
