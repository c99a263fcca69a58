/** A body that is read before its reader comes. */
export interface ReadAhead {
  /** The whole body. May be iterated once. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Aborts with the error of the first bytes; a later error is thrown by {@link ReadAhead.pieces} alone. */
  readonly failed: AbortSignal;
}

/** Reads the first `bytes` of a body at once, in whole pieces, and the rest when it is asked for. */
export function readAhead(source: AsyncGenerator<Uint8Array>, bytes: number): ReadAhead {
  const failure = new AbortController();
  const first: Uint8Array[] = [];
  const fill = async () => {
    for (let left = bytes; left > 0; ) {
      const { done, value } = await source.next();
      if (done) return;
      first.push(value);
      left -= value.length;
    }
  };
  const filled = fill();
  filled.catch((error: unknown) => failure.abort(error));
  async function* pieces() {
    try {
      await filled;
      yield* first.splice(0);
      // Ends at once if the body has.
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return { pieces: pieces(), failed: failure.signal };
}
