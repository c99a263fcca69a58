import { inflateSync } from 'node:zlib';
import type { JsonObject } from '@culprit/core';
import { CulpritError, type ParsedCrash, type ParsedDelivery } from '@culprit/core/connector';
import { isJsonObject, parseCrashJson, readCrashJson, readText } from '../shared/json-body.js';
import { type Envelope, type EnvelopeItem, malformedEnvelope } from './envelope.js';
import { checkSize, SENTRY_LIMITS } from './limits.js';

/** Item types counted by name. Others count as `unknown`, so that senders cannot create counters. */
const KINDS = new Set(
  (
    'event attachment session sessions client_report client_discarded transaction span profile profile_chunk replay_event ' +
    'replay_recording replay_video check_in log trace_metric statsd metric_buckets user_report feedback security ' +
    'raw_security form_data unreal_report nel'
  ).split(' '),
);

interface Found {
  readonly id: string | null;
  readonly crash: JsonObject;
  readonly bytes: number;
}

/** The crashes of an envelope, and counts of the other items. The envelope header's event id overrides the payload's. */
export function readItems(envelope: Envelope, eventBytes: number): ParsedDelivery {
  const header = envelope.header;
  const envelopeId = readEventId(
    Object.hasOwn(header, 'event_id') ? header.event_id : null,
    'header.event_id',
  );
  const ignored: Record<string, number> = {};
  const count = (kind: string, times = 1) => {
    const name = KINDS.has(kind) ? kind : 'unknown';
    if (times > 0) ignored[name] = (ignored[name] ?? 0) + times;
  };
  const events: Found[] = [];
  const attachments: { name: string; bytes: number }[] = [];
  let oversized = 0;
  for (const [index, item] of envelope.items.entries()) {
    if (item.type !== 'event' && item.bytes > eventBytes) oversized++;
    const path = `items[${index}]`;
    if (item.type === 'event') {
      const found = readEvent(item, path, eventBytes, events.length === 0 ? envelopeId : null);
      if (found.crash.type === 'transaction') count('transaction');
      else if (events.some(({ id }) => id !== null && id === found.id)) count('event');
      else if (events.push(found) > SENTRY_LIMITS.events) {
        throw new CulpritError('too_large', "envelope exceeded size limits for type 'event'", { path });
      }
    } else if (item.type === 'attachment' && attachments.length < SENTRY_LIMITS.attachments) {
      attachments.push({ name: fileName(item), bytes: item.bytes });
    } else {
      count(item.type);
      if (item.type === 'client_report') count('client_discarded', discardedBy(item));
    }
  }
  if (oversized > 0) ignored.oversized = oversized;
  if (events.length === 0) for (const _ of attachments) count('attachment');
  const crashes = events.map(
    ({ id, crash, bytes }, index): ParsedCrash => ({
      event_id: id,
      crash,
      bytes,
      attachments: index === 0 ? attachments : [],
    }),
  );
  return { crashes, ignored, event_id: envelopeId };
}

/** Events that the SDK discarded itself (rate limits, sample rate, full queue). */
function discardedBy({ payload }: EnvelopeItem): number {
  let total = 0;
  try {
    const { discarded_events: list } = parseCrashJson(readText(payload));
    for (const entry of Array.isArray(list) ? list.slice(0, 1_000) : []) {
      const quantity = isJsonObject(entry) ? entry.quantity : null;
      if (typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity > 0) total += quantity;
    }
  } catch {
    return 0;
  }
  return Math.min(total, 1_000_000_000);
}

function readEvent(item: EnvelopeItem, path: string, eventBytes: number, envelopeId: string | null): Found {
  checkSize(item.payload, eventBytes, path);
  const crash = readCrashJson(item.payload, path);
  return { id: envelopeId ?? ownId(crash, `${path}.event_id`), crash, bytes: item.payload.length };
}

function ownId(crash: JsonObject, path: string): string | null {
  return readEventId(Object.hasOwn(crash, 'event_id') ? crash.event_id : null, path);
}

/** Untrusted and shown to people: no control characters, no directories, at most 200 characters. */
function fileName({ header }: EnvelopeItem): string {
  const name = typeof header.filename === 'string' ? header.filename : '';
  const clean = name.replace(/[\p{C}]/gu, '').replace(/^.*[/\\]/s, '');
  return clean.slice(0, 200) || 'unnamed';
}

/** The body of the legacy `/store/` endpoint: one plain JSON event. Old Python clients write `NaN` and `Infinity`. */
export function readStoreEvent(body: Uint8Array, eventBytes: number): ParsedDelivery {
  const text = readText(unpackStored(body, eventBytes));
  if (text.trim() === '') throw new CulpritError('malformed', 'empty request body');
  const crash = parseLenient(text);
  const id = ownId(crash, 'event_id');
  if (crash.type === 'transaction') return { crashes: [], ignored: { transaction: 1 }, event_id: id };
  const bytes = Buffer.byteLength(text);
  return { crashes: [{ event_id: id, crash, attachments: [], bytes }], ignored: {}, event_id: id };
}

function parseLenient(text: string): JsonObject {
  try {
    return parseCrashJson(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    // Strings match first and are preserved, so only bare words are replaced.
    const words = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?Infinity|NaN/g;
    return parseCrashJson(text.replace(words, (word) => (word.startsWith('"') ? word : 'null')));
  }
}

/** The first byte of a zlib stream with the default window. */
const ZLIB = 0x78;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}\s*$/;

/**
 * The JSON of a `/store/` body. Raven, the predecessor of the SDKs, sent it as base64 of zlib without any header; with `GET`
 * it is in the query. A body that is not clearly in that format is returned unchanged.
 */
function unpackStored(body: Uint8Array, eventBytes: number): Uint8Array {
  checkSize(body, eventBytes, 'event');
  const bytes = body[0] === ZLIB ? body : (fromBase64(body) ?? body);
  if (bytes[0] !== ZLIB) return bytes;
  try {
    return inflateSync(bytes, { maxOutputLength: eventBytes });
  } catch (error) {
    if (error instanceof RangeError) checkSize({ length: eventBytes + 1 }, eventBytes, 'event');
    throw new CulpritError('malformed', 'The body is not valid zlib. Send plain JSON.', { cause: error });
  }
}

function fromBase64(body: Uint8Array): Uint8Array | null {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  return BASE64.test(text) ? Buffer.from(text.trim(), 'base64') : null;
}

const SIMPLE = /^[0-9a-f]{32}$/i;
const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Normalises 32 hex digits or a dashed UUID to lower case without dashes. `null` if missing or null. */
function readEventId(value: unknown, path: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && (SIMPLE.test(value) || DASHED.test(value))) {
    return value.replaceAll('-', '').toLowerCase();
  }
  throw malformedEnvelope('event_id must be 32 hex digits or a UUID', path);
}
