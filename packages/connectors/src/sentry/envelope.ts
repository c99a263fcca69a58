import { CulpritError, type JsonObject } from '@culprit/core';
import { isJsonObject } from '../shared/json-body.js';
import { checkSize } from './check-size.js';
import { type Feed, finish, moreOf, readBytes, readLine, skipBlanks, skipBytes, skipLine } from './feed.js';
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
export interface EnvelopeReader {
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
const NEWLINE = 0x0a;
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
