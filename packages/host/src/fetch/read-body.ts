import { setTimeout as delay } from 'node:timers/promises';
import { CulpritError } from '@culprit/core';
import { clientGone, timedOut, tooLarge } from '../http/request-policy.js';

export interface BodyLimits {
  readonly bytes: number;
  /** The whole body must arrive within this. */
  readonly ms: number;
}

/** The whole body, or why it was refused while it arrived: `too_large`, `timed_out` or `closed`. */
export async function readWholeBody(
  request: Request,
  { bytes, ms }: BodyLimits,
): Promise<Uint8Array | CulpritError> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let received = 0;
  const complete = new AbortController();
  const late = delay(ms, undefined, { signal: complete.signal }).then((): never => {
    throw timedOut();
  });
  late.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks, received);
      received += value.byteLength;
      if (received > bytes) throw tooLarge(bytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    return error instanceof CulpritError ? error : clientGone(error);
  } finally {
    complete.abort();
  }
}
