import type { JsonObject } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';
import { isJsonObject } from '../shared/json-body.js';
import { checkSize, SENTRY_LIMITS } from './limits.js';

/** `Headers { "\n" Item } ["\n"]` as specified at develop.sentry.dev; item = headers, `\n`, payload. */
export interface Envelope {
  readonly header: JsonObject;
  readonly items: readonly EnvelopeItem[];
}
/** One item of a Sentry envelope: its parsed header and its payload's bytes. */
export interface EnvelopeItem {
  readonly type: string;
  readonly header: JsonObject;
  /** A view of the envelope's bytes; empty if it was left out while the envelope arrived. */
  readonly payload: Uint8Array;
  /** Bytes of the payload as sent. */
  readonly bytes: number;
}

export function malformedEnvelope(cause: string, path?: string): CulpritError {
  return new CulpritError('malformed', cause, path === undefined ? {} : { path });
}

/**
 * Parses the framing of an envelope; payloads stay bytes. Throws `malformed` with Relay's wording, and `too_large` for header
 * lines and item counts over {@link SENTRY_LIMITS}. Tolerates blank lines between items, as Relay does, and after them, as
 * senders expect.
 */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  let header: JsonObject = {};
  const items: EnvelopeItem[] = [];
  finish(
    readEnvelope(
      { bytes, at: 0, ended: true },
      {
        header: (found) => {
          header = found;
        },
        wants: () => true,
        lineBytes: Number.POSITIVE_INFINITY,
        item: (found) => items.push(found),
      },
    ),
  );
  return { header, items };
}

/** What reads an envelope. Bytes that it is given are views, which are valid during the call only. */
interface EnvelopeReader {
  header(header: JsonObject, line: Uint8Array): void;
  /** Maximum bytes of a payload that is kept and has no length: `too_large` beyond. */
  readonly lineBytes: number;
  /** Whether to keep an item's payload; `null`: its length is not known. May throw. */
  wants(type: string, length: number | null, path: string): boolean;
  item(item: EnvelopeItem, line: Uint8Array): void;
}

/** The grammar. Reads from a feed that may still be arriving; each `yield` waits for more of it. */
export function* readEnvelope(feed: Feed, reader: EnvelopeReader): Generator<void, void> {
  yield* blanks(feed, 'header');
  if (!(yield* moreOf(feed))) throw malformedEnvelope('empty request body');
  const first = yield* headerLine(feed, 'header');
  reader.header(parseHeader(first, 'invalid envelope header', 'header'), first);
  for (let count = 0; ; count++) {
    const path = `items[${count}]`;
    yield* blanks(feed, path);
    if (!(yield* moreOf(feed))) return;
    if (count === SENTRY_LIMITS.items) {
      throw new CulpritError('too_large', `envelope exceeds ${SENTRY_LIMITS.items} items`, { path });
    }
    yield* readItem(feed, reader, path);
  }
}

function* readItem(feed: Feed, reader: EnvelopeReader, path: string): Generator<void, void> {
  // Outlives the piece that it came with.
  const line = Uint8Array.from(yield* headerLine(feed, path));
  const header = parseHeader(line, 'invalid item header', path);
  const type = Object.hasOwn(header, 'type') ? header.type : undefined;
  if (typeof type !== 'string' || type === '') throw malformedEnvelope('invalid item header', `${path}.type`);
  const length = wholeNumber(header, 'length', path);
  const omitted = wholeNumber(header, OMITTED, path) ?? 0;
  if (!reader.wants(type, length, path)) {
    const bytes = yield* length === null ? skipLine(feed) : skipBytes(feed, length);
    if (bytes < (length ?? 0)) throw malformedEnvelope('unexpected end of file', path);
    reader.item({ type, header, payload: NOTHING, bytes }, line);
  } else {
    const most = reader.lineBytes;
    const tooLong = () => checkSize({ length: most + 1 }, most, path);
    const payload = yield* length === null ? readLine(feed, most, tooLong) : readBytes(feed, length);
    if (payload.length < (length ?? 0)) throw malformedEnvelope('unexpected end of file', path);
    reader.item({ type, header, payload, bytes: payload.length + omitted }, line);
  }
  if (length !== null && (yield* moreOf(feed)) && feed.bytes[feed.at] !== NEWLINE) {
    throw malformedEnvelope('missing newline after header or payload', path);
  }
}

/** The member of an item's header that says how many bytes of its payload were left out. */
export const OMITTED = 'omitted_bytes';
const NOTHING = new Uint8Array();
const utf8 = new TextDecoder('utf-8', { fatal: true });

function* headerLine(feed: Feed, path: string): Generator<void, Uint8Array> {
  return yield* readLine(feed, SENTRY_LIMITS.headerBytes, () => {
    throw new CulpritError('too_large', `header line exceeds ${SENTRY_LIMITS.headerBytes} bytes`, { path });
  });
}

/** Limited, because a few compressed bytes can be 100 MiB of blanks. */
function blanks(feed: Feed, path: string): Generator<void, void> {
  return skipBlanks(feed, SENTRY_LIMITS.headerBytes, () => {
    throw new CulpritError('too_large', `blanks exceed ${SENTRY_LIMITS.headerBytes} bytes`, { path });
  });
}

function wholeNumber(header: JsonObject, name: string, path: string): number | null {
  const value = Object.hasOwn(header, name) ? (header[name] ?? null) : null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformedEnvelope('invalid item header', `${path}.${name}`);
}

function parseHeader(line: Uint8Array, cause: string, path: string): JsonObject {
  let header: unknown;
  try {
    header = JSON.parse(utf8.decode(line));
  } catch {
    throw malformedEnvelope(cause, path);
  }
  if (!isJsonObject(header)) throw malformedEnvelope(cause, path);
  return header;
}

/** The envelope header alone, or `null` if it is unreadable. Never throws. */
export function peekHeader(bytes: Uint8Array): JsonObject | null {
  try {
    const feed: Feed = { bytes, at: 0, ended: true };
    finish(blanks(feed, 'header'));
    return parseHeader(finish(headerLine(feed, 'header')), 'invalid envelope header', 'header');
  } catch {
    return null;
  }
}

/** Bytes that may still be arriving. The generators below `yield` when they need more. */
export interface Feed {
  /** The current piece. */
  bytes: Uint8Array;
  /** The next byte to read. */
  at: number;
  /** No further piece follows. */
  ended: boolean;
}

const NEWLINE = 0x0a;

/** Runs a reader of a feed that has ended. */
function finish<T>(reader: Generator<void, T>): T {
  for (;;) {
    const { done, value } = reader.next();
    if (done === true) return value;
  }
}

/** Whether there is another byte. */
function* moreOf(feed: Feed): Generator<void, boolean> {
  while (feed.at === feed.bytes.length) {
    if (feed.ended) return false;
    yield;
  }
  return true;
}

/** Skips spaces, tabs and line ends. Calls `tooMany` beyond `most`. */
function* skipBlanks(feed: Feed, most: number, tooMany: () => void): Generator<void, void> {
  let skipped = 0;
  while (yield* moreOf(feed)) {
    if (!isBlank(feed.bytes[feed.at])) return;
    feed.at++;
    if (++skipped > most) tooMany();
  }
}

/** Up to the next line end, which is read too, or to the end. Calls `tooLong` beyond `most` bytes. */
function* readLine(
  feed: Feed,
  most = Number.POSITIVE_INFINITY,
  tooLong: () => void = () => {},
): Generator<void, Uint8Array> {
  const parts = createParts();
  while (yield* moreOf(feed)) {
    const newline = feed.bytes.indexOf(NEWLINE, feed.at);
    const end = newline < 0 ? feed.bytes.length : newline;
    if (parts.size + end - feed.at > most) tooLong();
    parts.add(feed.bytes.subarray(feed.at, end), newline >= 0 || feed.ended);
    feed.at = newline < 0 ? end : end + 1;
    if (newline >= 0) break;
  }
  return parts.whole();
}

/** The next `length` bytes; fewer at the end. */
function* readBytes(feed: Feed, length: number): Generator<void, Uint8Array> {
  const parts = createParts();
  while (parts.size < length && (yield* moreOf(feed))) {
    const end = Math.min(feed.bytes.length, feed.at + length - parts.size);
    parts.add(feed.bytes.subarray(feed.at, end), parts.size + end - feed.at === length);
    feed.at = end;
  }
  return parts.whole();
}

/** Skips `length` bytes; returns how many there were. */
function* skipBytes(feed: Feed, length: number): Generator<void, number> {
  let skipped = 0;
  while (skipped < length && (yield* moreOf(feed))) {
    const step = Math.min(feed.bytes.length - feed.at, length - skipped);
    feed.at += step;
    skipped += step;
  }
  return skipped;
}

/** Skips to the next line end, which is skipped too; returns the bytes before it. */
function* skipLine(feed: Feed): Generator<void, number> {
  let skipped = 0;
  while (yield* moreOf(feed)) {
    const newline = feed.bytes.indexOf(NEWLINE, feed.at);
    skipped += (newline < 0 ? feed.bytes.length : newline) - feed.at;
    feed.at = newline < 0 ? feed.bytes.length : newline + 1;
    if (newline >= 0) break;
  }
  return skipped;
}

/** Parts of one text. Those before the last are copied, because a piece is gone when the next one comes. */
function createParts() {
  const parts: Uint8Array[] = [];
  return {
    size: 0,
    add(part: Uint8Array, isLast: boolean) {
      this.size += part.length;
      parts.push(isLast ? part : Uint8Array.from(part));
    },
    whole(): Uint8Array {
      return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    },
  };
}

const isBlank = (byte: number | undefined) =>
  byte === NEWLINE || byte === 0x0d || byte === 0x20 || byte === 0x09;
