import { CulpritError } from '@culprit/core';

/** How long a sender may keep its reader waiting: `graceMs`, and the time that what it has sent takes at the lowest rate. */
export interface LeastRate {
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

/** Passes on the pieces of a body. Throws `timed_out` if they come too slowly; the time that the reader needs does not count. */
export async function* atLeast(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { graceMs, bytesPerSecond }: LeastRate,
): AsyncGenerator<Uint8Array> {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let left = graceMs;
  try {
    for (;;) {
      const since = performance.now();
      const { done, value } = await soon(source.next(), left);
      if (done) return;
      left += (value.length / bytesPerSecond) * 1_000 - (performance.now() - since);
      yield value;
    }
  } finally {
    // Its reader may wait for a piece that never comes.
    void Promise.resolve(source.return?.()).catch(() => {});
  }
}

type Next = IteratorResult<Uint8Array>;

function soon(next: Next | Promise<Next>, ms: number): Promise<Next> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), Math.max(0, ms));
    void Promise.resolve(next)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

const tooSlow = () =>
  new CulpritError('timed_out', 'The request arrives too slowly. Send it again over a faster connection.');
