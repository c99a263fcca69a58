import { readdirSync, readFileSync } from 'node:fs';
import type { Delivery } from '../../src/domain/delivery.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';

const folder = new URL('../../test/fixtures/', import.meta.url);
export const stackText = (name: string) => readFileSync(new URL(`stacks/${name}`, folder), 'utf8');
export const ingestJson = (name: string) =>
  JSON.parse(readFileSync(new URL(`ingest/${name}`, folder), 'utf8')) as JsonObject;

export function deliveryOf(crash: JsonValue, known: Partial<Delivery> = {}): Delivery {
  return {
    sequence: 1,
    event_id: 'e1',
    project: 'default',
    door: 'native',
    tracker: 'tracker',
    received_at: '2026-11-21T10:00:00.000Z',
    raw_sha256: 'a'.repeat(64),
    headers: {},
    attachments: [],
    redactions: 0,
    crash: crash as JsonObject,
    ...known,
  };
}

/** Every crash of the payload fixtures: events, the events in webhooks and envelopes. */
export function fixtureCrashes(): readonly { readonly name: string; readonly crash: JsonValue }[] {
  return readdirSync(new URL('ingest/', folder))
    .sort()
    .flatMap((name) => {
      if (name.startsWith('env-')) return envelopeEvents(name).map((crash) => ({ name, crash }));
      if (!/^(?:ev|hook)-.*\.json$/.test(name) || name.endsWith('.headers.json')) return [];
      const json = ingestJson(name);
      const data = json.data as JsonObject | undefined;
      return [{ name, crash: (data?.event ?? data?.error ?? data?.issue ?? json) as JsonValue }];
    });
}

/** Parses enough of an envelope for fixtures: the payloads of items of type `event`. */
export function envelopeEvents(name: string): readonly JsonValue[] {
  const bytes = readFileSync(new URL(`ingest/${name}`, folder));
  const lineEnd = (from: number) => {
    const end = bytes.indexOf(10, from);
    return end < 0 ? bytes.length : end;
  };
  const events: JsonValue[] = [];
  for (let at = lineEnd(0) + 1; at < bytes.length; ) {
    const end = lineEnd(at);
    const line = bytes.toString('utf8', at, end);
    const header = (line.trim() === '' ? {} : JSON.parse(line)) as { type?: string; length?: number };
    const stop = header.length === undefined ? lineEnd(end + 1) : end + 1 + header.length;
    if (header.type === 'event') events.push(...jsonOf(bytes.toString('utf8', end + 1, stop)));
    at = header.type === undefined ? end + 1 : stop + 1;
  }
  return events;
}

/** One fixture's event is invalid on purpose; doors reject it before it is normalised. */
function jsonOf(text: string): readonly JsonValue[] {
  try {
    return [JSON.parse(text) as JsonValue];
  } catch {
    return [];
  }
}
