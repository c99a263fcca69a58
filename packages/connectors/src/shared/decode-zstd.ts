import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { CulpritError } from '@culprit/core';
import { mutex } from '@culprit/core/resilience';
import { checkZstdFrames } from './zstd-frames.js';

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
