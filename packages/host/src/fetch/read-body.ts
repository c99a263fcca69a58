import { setTimeout as delay } from 'node:timers/promises';
import { CulpritError } from '@culprit/core';
import type { Arrival, Visitor } from '../http/arrivals.js';
import { clientGone, timedOut, tooLarge } from '../http/request-policy.js';

export interface BodyLimits {
  readonly bytes: number;
  /** The whole body must arrive within this. */
  readonly ms: number;
  /** Counts the request among those that are arriving. */
  readonly enter: (flow: Pick<Visitor, 'refuse' | 'pause' | 'resume'>) => Arrival;
}

/** The whole body, or why it was refused while it arrived: `too_large`, `timed_out`, `overloaded` or `closed`. */
export async function readWholeBody(
  request: Request,
  { bytes, ms, enter }: BodyLimits,
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
  let goOn: Promise<void> | null = null;
  let resume = () => {};
  let crowdedOut: (reason: CulpritError) => void = () => {};
  const crowded = new Promise<never>((_, reject) => {
    crowdedOut = reject;
  });
  crowded.catch(() => {});
  const arrival = enter({
    refuse: (reason) => crowdedOut(reason),
    pause() {
      goOn = new Promise((resolve) => {
        resume = resolve;
      });
    },
    resume() {
      goOn = null;
      resume();
    },
  });
  try {
    for (;;) {
      if (goOn !== null) await Promise.race([goOn, late, crowded]);
      const { done, value } = await Promise.race([reader.read(), late, crowded]);
      if (done) return Buffer.concat(chunks, received);
      received += value.byteLength;
      if (received > bytes) throw tooLarge(bytes);
      chunks.push(value);
      arrival.keep(value.byteLength);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    return error instanceof CulpritError ? error : clientGone(error);
  } finally {
    arrival.leave();
    complete.abort();
  }
}
