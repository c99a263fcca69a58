import { setTimeout as delay } from 'node:timers/promises';
import { CulpritError } from '@culprit/core';
import type { Arrival, Visitor } from '../http/arrivals.js';
import { type BodyReader, type KeptBody, LONG_BODY_BYTES } from '../http/long-body.js';
import { clientGone, timedOut, tooLarge } from '../http/request-policy.js';

export interface BodyLimits {
  readonly bytes: number;
  /** The whole body must arrive within this. */
  readonly ms: number;
  /** Reads a long body while it arrives. */
  readonly reader?: () => BodyReader | null;
  /** Counts the request among those that are arriving. */
  readonly enter: (flow: Pick<Visitor, 'refuse' | 'pause' | 'resume'>) => Arrival;
}

/** The whole body, what a reader kept of it, or why it was refused while it arrived: `too_large`, `timed_out`, `overloaded` or `closed`. */
export async function readWholeBody(
  request: Request,
  { bytes, ms, enter, reader: begin }: BodyLimits,
): Promise<Uint8Array | KeptBody | CulpritError> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let received = 0;
  let long: BodyReader | null = null;
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
      if (done) return long === null ? Buffer.concat(chunks, received) : await long.end();
      received += value.byteLength;
      if (received > bytes) throw tooLarge(bytes);
      if (long === null) {
        chunks.push(value);
        arrival.keep(value.byteLength);
        if (received > LONG_BODY_BYTES) long = begin?.() ?? null;
        if (long === null) continue;
      } else chunks.push(value);
      const held = long.held();
      for (const chunk of chunks.splice(0)) await Promise.race([long.take(chunk), late, crowded]);
      arrival.keep(Math.max(0, long.held() - held));
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    return error instanceof CulpritError ? error : clientGone(error);
  } finally {
    arrival.leave();
    complete.abort();
  }
}
