import type { IncomingMessage } from 'node:http';
import { CulpritError } from '@culprit/core';

const MEND =
  'Mount Culprit before the parser, or keep the bytes: express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes; } }).';

/**
 * The bytes that a middleware kept in `rawBody`, or in `body` as a Buffer; `null`: the body has not been read. An error if it
 * was read and is lost: signatures cover the bytes, and waiting for them would never end.
 */
export function receivedBytes(incoming: IncomingMessage): Uint8Array | null | CulpritError {
  const { rawBody, body } = incoming as { readonly rawBody?: unknown; readonly body?: unknown };
  if (rawBody instanceof Uint8Array) return rawBody;
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (body instanceof Uint8Array) return body;
  if (!incoming.readableDidRead || !hasBody(incoming)) return null;
  return new CulpritError('configuration', `A body parser of this server has read the body. ${MEND}`);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** Parsers decompress what they keep, but leave the header. */
export function isStillEncoded(bytes: Uint8Array): boolean {
  return [GZIP, ZSTD].some((magic) => magic.every((byte, at) => bytes[at] === byte));
}
