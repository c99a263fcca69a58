import { randomBytes, randomFillSync } from 'node:crypto';
import type { Clock } from './ports/clock.js';
import type { IdGenerator } from './ports/id-generator.js';
import type { Logger } from './ports/logger.js';

/** The system's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal, background = false) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
      if (background) timer.unref();
      function done() {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }
      function aborted() {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', aborted, { once: true });
    }),
};

/** Prefetched: one call for many ids. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomPart(bytes: number): Uint8Array {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** 48 bits of time and 80 random bits, as in ULID. */
export const systemIds: IdGenerator = {
  runId: () => {
    let time = Date.now();
    let head = '';
    for (let digit = 0; digit < 10; digit++) {
      head = BASE32.charAt(time % 32) + head;
      time = Math.floor(time / 32);
    }
    let tail = '';
    for (const byte of randomPart(16)) tail += BASE32.charAt(byte & 31);
    return `run_${head}${tail}`;
  },
  eventId: () => randomBytes(16).toString('hex'),
};

/** A logger that discards everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
