import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
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
 * it is allowed. Rejects with `unsupported_encoding`, `too_large`, or `malformed` for a broken stream.
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
  options: DecodeOptions = {},
): Promise<Uint8Array> {
  const name = nameOf(encoding);
  if (!isEncoded(encoding)) {
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
    throw broken(name, error);
  }
}

/** Decodes a body while it arrives. */
export interface Unpacker {
  /** Resolves when the piece is decoded and passed on; the piece must not change until then. Rejects as {@link decodeBody} does. */
  take(piece: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/**
 * Passes a compressed body on while it arrives, so that it is never whole in memory. `null`: the encoding is unknown, or cannot be
 * decoded in pieces (zstd, whose thread decodes one body at a time). What `pass` throws ends the decoding.
 */
export function unpackBody(
  encoding: string | undefined,
  first: Uint8Array,
  { brotli = false, pass }: DecodeOptions & { readonly pass: (part: Uint8Array) => void },
): Unpacker | null {
  const name = nameOf(encoding);
  const stream = unpackerOf(name, first, brotli);
  if (stream === null) return null;
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= isCulpritError(error) ? error : broken(name, error);
    stream.destroy();
  };
  stream.on('error', fail).on('data', (part: Buffer) => {
    try {
      if (failure === null) pass(part);
    } catch (error) {
      fail(error);
    }
  });
  const settled = (act: (done: () => void) => void) =>
    new Promise<void>((resolve, reject) => {
      const done = () => {
        stream.off('close', done);
        if (failure === null) resolve();
        else reject(failure);
      };
      if (failure !== null) return done();
      stream.once('close', done);
      act(done);
    });
  return {
    take: (piece) => limitDecoders(() => settled((done) => stream.write(piece, done))),
    end: () => limitDecoders(() => settled((done) => stream.once('end', done).end())),
  };
}

function unpackerOf(name: string, first: Uint8Array, brotli: boolean) {
  const options = { chunkSize: CHUNK_BYTES };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(options);
  if (name === 'deflate') return isZlib(first) ? createInflate(options) : createInflateRaw(options);
  return name === 'br' && brotli ? createBrotliDecompress(options) : null;
}

const nameOf = (encoding: string | undefined) => (encoding ?? '').trim().toLowerCase();

/** `""` (sentry-ruby), `identity` and `UTF-8` (old Android clients) mean no encoding. */
export const isEncoded = (encoding: string | undefined) =>
  !['', 'identity', 'utf-8'].includes(nameOf(encoding));

function broken(name: string, cause: unknown): CulpritError {
  return new CulpritError('malformed', `The body is not valid ${name}. Send it complete or uncompressed.`, {
    cause,
  });
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
