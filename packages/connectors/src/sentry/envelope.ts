import { CulpritError, type JsonObject } from '@culprit/core';
import { isJsonObject } from '../shared/json-body.js';
import { SENTRY_LIMITS } from './limits.js';

/** `Headers { "\n" Item } ["\n"]` as specified at develop.sentry.dev; item = headers, `\n`, payload. */
export interface Envelope {
  readonly header: JsonObject;
  readonly items: readonly EnvelopeItem[];
}
/** One item of a Sentry envelope: its parsed header and its payload's bytes. */
export interface EnvelopeItem {
  readonly type: string;
  readonly header: JsonObject;
  /** A view of the envelope's bytes. */
  readonly payload: Uint8Array;
}

const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function malformedEnvelope(cause: string, path?: string): CulpritError {
  return new CulpritError('malformed', cause, path === undefined ? {} : { path });
}

/**
 * Parses the framing of an envelope; payloads stay bytes. Throws `malformed` with Relay's wording, and `too_large` for header
 * lines and item counts over {@link SENTRY_LIMITS}. Tolerates blank lines between items, as Relay does, and after them, as
 * senders expect.
 */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  let at = skipBlank(bytes, 0);
  if (at === bytes.length) throw malformedEnvelope('empty request body');
  const first = readHeader(bytes, at, 'invalid envelope header', 'header');
  at = skipBlank(bytes, first.next);
  const items: EnvelopeItem[] = [];
  while (at < bytes.length) {
    const path = `items[${items.length}]`;
    if (items.length === SENTRY_LIMITS.items) {
      throw new CulpritError('too_large', `envelope exceeds ${SENTRY_LIMITS.items} items`, { path });
    }
    const { item, next } = readItem(bytes, at, path);
    items.push(item);
    at = skipBlank(bytes, next);
  }
  return { header: first.header, items };
}

/** The envelope header alone, or `null` if it is unreadable. Never throws. */
export function peekHeader(bytes: Uint8Array): JsonObject | null {
  try {
    return readHeader(bytes, skipBlank(bytes, 0), 'invalid envelope header', 'header').header;
  } catch {
    return null;
  }
}

function readItem(bytes: Uint8Array, at: number, path: string): { item: EnvelopeItem; next: number } {
  const { header, next: start } = readHeader(bytes, at, 'invalid item header', path);
  const type = Object.hasOwn(header, 'type') ? header.type : undefined;
  if (typeof type !== 'string' || type === '') throw malformedEnvelope('invalid item header', `${path}.type`);
  const length = Object.hasOwn(header, 'length') ? (header.length ?? null) : null;
  if (length === null) {
    const end = endOfLine(bytes, start);
    return { item: { type, header, payload: bytes.subarray(start, end) }, next: end };
  }
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
    throw malformedEnvelope('invalid item header', `${path}.length`);
  }
  const end = start + length;
  if (end > bytes.length) throw malformedEnvelope('unexpected end of file', path);
  if (end < bytes.length && bytes[end] !== NEWLINE) {
    throw malformedEnvelope('missing newline after header or payload', path);
  }
  return { item: { type, header, payload: bytes.subarray(start, end) }, next: end };
}

/** Parses one line of JSON. `next` is the first byte after its newline, or the end. */
function readHeader(
  bytes: Uint8Array,
  at: number,
  cause: string,
  path: string,
): { header: JsonObject; next: number } {
  const window = bytes.subarray(at, at + SENTRY_LIMITS.headerBytes + 1);
  const newline = window.indexOf(NEWLINE);
  if (newline < 0 && window.length > SENTRY_LIMITS.headerBytes) {
    throw new CulpritError('too_large', `header line exceeds ${SENTRY_LIMITS.headerBytes} bytes`, { path });
  }
  const line = newline < 0 ? window : window.subarray(0, newline);
  let header: unknown;
  try {
    header = JSON.parse(utf8.decode(line));
  } catch {
    throw malformedEnvelope(cause, path);
  }
  if (!isJsonObject(header)) throw malformedEnvelope(cause, path);
  return { header, next: Math.min(bytes.length, at + line.length + 1) };
}

function endOfLine(bytes: Uint8Array, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 ? bytes.length : newline;
}

/** Skips spaces, tabs and line ends between items. */
function skipBlank(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length && isBlank(bytes[next])) next++;
  return next;
}

function isBlank(byte: number | undefined): boolean {
  return byte === NEWLINE || byte === 0x0d || byte === 0x20 || byte === 0x09;
}
