import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';
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
 * Bodies decoded at once. 20 KB can expand to 20 MB, so without a limit a few hundred small requests could fill gigabytes
 * of memory. Four is the size of Node's thread pool, so nothing is lost.
 */
const limitDecoders = semaphore(4);
/** zlib's default is 16 KiB, which takes a thousand turns of the event loop for one large body. */
const CHUNK_BYTES = 256 * 1024;

/** Limits for one compressed body. */
export interface DecodeOptions {
  /** Default false: Brotli decoders have a history of decompression bombs and memory faults, and no SDK needs it. */
  readonly brotli?: boolean;
}

/**
 * The decoded body, at most `maxBytes` long; the limit applies while decoding. Supports gzip, deflate, zstd, and `br` if
 * it is allowed. `""` (sentry-ruby), `identity` and `UTF-8` (old Android clients) mean no encoding.
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
    throw new CulpritError(
      'unsupported_encoding',
      'Unsupported content encoding. Send the body with gzip, deflate, zstd or uncompressed.',
    );
  }
  try {
    const limit = { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES };
    // zstd has its own thread, so a slow body there blocks no other encoding.
    return await (name === 'zstd' ? decode(bytes, limit) : limitDecoders(() => decode(bytes, limit)));
  } catch (error) {
    if (isCulpritError(error)) throw error;
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new CulpritError('malformed', `The body is not valid ${name}. Send it complete or uncompressed.`, {
      cause: error,
    });
  }
}

/** A sender's key is in the first line; no SDK's is longer. */
const START_BYTES = 16 * 1024;

/**
 * The first 16 KiB of a body, from at most its first 16 KiB as sent: enough to find the sender's key before anything else is
 * unpacked. Empty if nothing can be read, and for zstd, whose decoder needs more.
 */
export async function decodeStart(
  bytes: Uint8Array,
  encoding: string | undefined,
  { brotli = false }: DecodeOptions = {},
): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase();
  const start = bytes.subarray(0, START_BYTES);
  if (name === '' || name === 'identity' || name === 'utf-8') return start;
  const stream = unpackerOf(name, start, brotli);
  if (stream === null) return new Uint8Array();
  return limitDecoders(
    () =>
      new Promise((resolve) => {
        const done = (first: Uint8Array) => {
          stream.destroy();
          resolve(first);
        };
        stream.once('data', done);
        stream.once('error', () => done(new Uint8Array()));
        stream.once('end', () => done(new Uint8Array()));
        stream.end(start);
      }),
  );
}

/** A stream that outputs what it has decoded so far, because only the start of the body is given. */
function unpackerOf(name: string, bytes: Uint8Array, brotli: boolean) {
  const options = { chunkSize: START_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(options);
  if (name === 'deflate') return isZlib(bytes) ? createInflate(options) : createInflateRaw(options);
  const flush = { chunkSize: START_BYTES, finishFlush: constants.BROTLI_OPERATION_FLUSH };
  return name === 'br' && brotli ? createBrotliDecompress(flush) : null;
}

/** A zlib header has method 8 in its low bits. Some senders omit the header. */
const isZlib = (bytes: Uint8Array) => ((bytes[0] ?? 0) & 0x0f) === 8;

type Decoder = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Uint8Array>;

function decoderOf(name: string, bytes: Uint8Array, { brotli = false }: DecodeOptions): Decoder | null {
  if (name === 'gzip' || name === 'x-gzip') return decoders.gzip;
  if (name === 'zstd') return decodeZstd;
  if (name === 'br') return brotli ? decoders.br : null;
  if (name !== 'deflate') return null;
  return isZlib(bytes) ? decoders.zlib : decoders.raw;
}

function tooLarge(maxBytes: number): CulpritError {
  return new CulpritError('too_large', `The body exceeds ${maxBytes} bytes after decoding. Send less.`);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
