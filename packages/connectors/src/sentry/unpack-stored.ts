import { inflateSync } from 'node:zlib';
import { CulpritError } from '@culprit/core';
import { checkSize } from './check-size.js';

/** The first byte of a zlib stream with the default window. */
const ZLIB = 0x78;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}\s*$/;

/**
 * The JSON of a `/store/` body. Raven, the predecessor of the SDKs, sent it as base64 of zlib without any header; with `GET`
 * it is in the query. A body that is not clearly in that format is returned unchanged.
 */
export function unpackStored(body: Uint8Array, eventBytes: number): Uint8Array {
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
