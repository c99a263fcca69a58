import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { CulpritError } from '@culprit/core/connector';
import { mutex } from '@culprit/core/internal/resilience/mutex';

/** Time limit for one body. A legitimate body of the largest size takes a tenth of it. */
const TIMEOUT_MS = 2_000;

/**
 * Decodes in a worker thread: a few bytes of Zstandard can keep a decoder busy for hours, and a thread can be terminated.
 * The byte limit applies while decoding. Node 20 has no decoder of its own, so `fzstd` is used.
 */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Decompress } = require(workerData.fzstd);
  const STEP = 65536;
  parentPort.on('message', ({ bytes, maxBytes }) => {
    const parts = [];
    let size = 0;
    try {
      const stream = new Decompress((part) => {
        size += part.length;
        if (size > maxBytes) throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
        parts.push(part.slice());
      });
      for (let at = 0; at < bytes.length; at += STEP) {
        stream.push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length);
      }
      const whole = new Uint8Array(size);
      let at = 0;
      for (const part of parts) { whole.set(part, at); at += part.length; }
      parentPort.postMessage({ whole }, [whole.buffer]);
    } catch (error) {
      parentPort.postMessage({ code: String(error.code) });
    }
  });
`;

let worker: Worker | null = null;
const oneAtATime = mutex();
let waiting = 0;
/** Bodies that may queue for the thread. */
const MAX_WAITING = 32;

/** Decodes one body at a time. Rejects as `node:zlib` does: `ERR_BUFFER_TOO_LARGE` over the limit, anything else for a broken stream. */
export async function decodeZstd(
  bytes: Uint8Array,
  { maxOutputLength }: { readonly maxOutputLength: number },
): Promise<Uint8Array> {
  checkZstdFrames(bytes, maxOutputLength);
  if (waiting >= MAX_WAITING) {
    throw new CulpritError('overloaded', 'Too many zstd bodies are waiting to be decoded. Retry later.');
  }
  waiting++;
  return oneAtATime(() => unpack(bytes, maxOutputLength)).finally(() => waiting--);
}

function unpack(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  worker ??= new Worker(WORKER, {
    eval: true,
    workerData: { fzstd: createRequire(import.meta.url).resolve('fzstd') },
    env: {},
    execArgv: [],
  });
  const current = worker;
  current.ref();
  return new Promise((resolve, reject) => {
    const stop = () => {
      worker = null;
      void current.terminate();
    };
    const onMessage = ({ whole, code }: { readonly whole?: Uint8Array; readonly code?: string }) => {
      release();
      if (whole) resolve(whole);
      else reject(Object.assign(new Error('zstd'), { code }));
    };
    const onError = (error: Error) => {
      release();
      stop();
      reject(error);
    };
    const timer = setTimeout(() => {
      onError(new CulpritError('too_large', 'The body took too long to decode. Send less.'));
    }, TIMEOUT_MS);
    const release = () => {
      clearTimeout(timer);
      current.off('message', onMessage).off('error', onError).unref();
    };
    current.once('message', onMessage).once('error', onError);
    current.postMessage({ bytes, maxBytes });
  });
}

/** The window that RFC 8878 recommends decoders to support. A frame can claim gigabytes in nine bytes. */
const WINDOW_BYTES = 8 * 1024 * 1024;

const ZSTANDARD = 0xfd2fb528;
const SKIPPABLE = 0x184d2a5;

/** Reads the headers of all frames and blocks. Throws `malformed` if it is not Zstandard, `too_large` if a window exceeds the limit. */
function checkZstdFrames(bytes: Uint8Array, maxBytes: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  if (bytes.length === 0) throw broken();
  try {
    while (at < bytes.length) {
      const magic = view.getUint32(at, true);
      if (magic === ZSTANDARD) at = afterFrame(view, at, Math.max(WINDOW_BYTES, maxBytes));
      else if (magic >>> 4 === SKIPPABLE) at += 8 + view.getUint32(at + 4, true);
      else throw broken();
    }
  } catch (error) {
    throw error instanceof RangeError ? broken() : error;
  }
  if (at !== bytes.length) throw broken();
}

function afterFrame(view: DataView, start: number, maxWindow: number): number {
  const flags = view.getUint8(start + 4);
  const single = (flags & 0x20) !== 0;
  const sizeBytes = flags >> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >> 6);
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  let at = start + 5 + (single ? 0 : 1) + dictionary;
  const window = single ? contentSize(view, at, sizeBytes) : windowSize(view.getUint8(start + 5));
  if (window > maxWindow) {
    throw new CulpritError('too_large', 'The body needs too large a decoding window. Use a smaller window.');
  }
  at += sizeBytes;
  for (let last = false; !last; ) {
    const block = view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
    last = (block & 1) === 1;
    const repeated = ((block >> 1) & 3) === 1;
    at += 3 + (repeated ? 1 : block >> 3);
  }
  return at + ((flags & 4) === 0 ? 0 : 4);
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function broken(): CulpritError {
  return new CulpritError('malformed', 'The body is not valid zstd. Send it complete or uncompressed.');
}
