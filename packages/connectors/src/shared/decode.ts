import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { CulpritError, isCulpritError } from '@culprit/core';
import { semaphore } from '@culprit/core/resilience';
import { decodeZstd } from './decode-zstd.js';

const decoders = {
  gzip: promisify(gunzip),
  zlib: promisify(inflate),
  raw: promisify(inflateRaw),
  br: promisify(brotliDecompress),
};

/**
 * How many bodies are unpacked at once. 20 KB can become 20 MB, so without a bound a few hundred small requests of a
 * stranger would fill gigabytes; as many as Node has threads for it lose nothing.
 */
const limitDecoders = semaphore(4);
/** zlib's own is 16 KiB: a thousand turns of the event loop for one large body. */
const CHUNK_BYTES = 256 * 1024;

export interface DecodeOptions {
  /** Default false: decoders of Brotli have a record of bombs and memory faults, and no SDK needs it. */
  readonly brotli?: boolean;
}

/**
 * A body without its content encoding, at most `maxBytes` long: the limit holds while it is being unpacked. Known: gzip,
 * deflate, zstd, and `br` where it is allowed. `""` (sentry-ruby), `identity` and `UTF-8` (old Android clients) mean none.
 * Rejects with `unsupported_encoding`, `too_large`, or `malformed` for a broken stream.
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
  options: DecodeOptions = {},
): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity' || name === 'utf-8') {
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }
  const decode = decoderOf(name, bytes, options);
  if (decode === null) {
    throw new CulpritError('unsupported_encoding', 'Send the body with gzip, deflate, zstd or uncompressed.');
  }
  try {
    const limit = { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES };
    // Its thread is a seat of its own, and a slow body there holds nobody else up.
    return await (name === 'zstd' ? decode(bytes, limit) : limitDecoders(() => decode(bytes, limit)));
  } catch (error) {
    if (isCulpritError(error)) throw error;
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new CulpritError('malformed', `The body is not valid ${name}; send it whole or uncompressed.`, {
      cause: error,
    });
  }
}

type Decoder = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Uint8Array>;

function decoderOf(name: string, bytes: Uint8Array, { brotli = false }: DecodeOptions): Decoder | null {
  if (name === 'gzip' || name === 'x-gzip') return decoders.gzip;
  if (name === 'zstd') return decodeZstd;
  if (name === 'br') return brotli ? decoders.br : null;
  if (name !== 'deflate') return null;
  // A zlib header says method 8 in its low bits; some senders leave the header out.
  return ((bytes[0] ?? 0) & 0x0f) === 8 ? decoders.zlib : decoders.raw;
}

function tooLarge(maxBytes: number): CulpritError {
  return new CulpritError('too_large', `The body is over ${maxBytes} bytes after decoding; send less.`);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
