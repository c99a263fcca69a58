import type { CulpritError } from '@culprit/core';
import { asCulpritError } from '@culprit/core/internal/errors/error';

/** Bytes after which a body is read while it arrives, if its route can. */
export const LONG_BODY_BYTES = 256 * 1024;

/** What a reader kept of a long body. */
export interface KeptBody {
  readonly body: Uint8Array;
  /** Bytes and SHA-256 (hex) of the body as sent. */
  readonly sent: number;
  readonly sha256: string;
}

/** Reads a long body while it arrives, so that only what is needed of it is in memory. */
export interface BodyReader {
  /** Resolves when the next piece may come. Rejects to refuse the request. */
  take(piece: Uint8Array): Promise<void>;
  /** Bytes in memory. */
  held(): number;
  end(): Promise<KeptBody>;
}

/** The request that a reader reads. */
export interface LongBodyFlow {
  /** Counts further bytes in memory. */
  keep(bytes: number): void;
  pause(): void;
  resume(): void;
  refuse(reason: CulpritError): void;
  done(kept: KeptBody): void;
}

/** Feeds a reader one piece at a time; the sender is paused meanwhile. The pieces must not be reused. */
export function feedReader(reader: BodyReader, flow: LongBodyFlow) {
  let counted = LONG_BODY_BYTES;
  let waiting = 0;
  let failed = false;
  let turn = Promise.resolve();
  const feed = async (piece: Uint8Array, isLast: boolean) => {
    if (failed) return;
    await reader.take(piece);
    const more = reader.held() - counted;
    if (more > 0) flow.keep(more);
    counted += Math.max(0, more);
    waiting--;
    if (isLast) flow.done(await reader.end());
    else if (waiting === 0) flow.resume();
  };
  return (piece: Uint8Array, isLast: boolean) => {
    waiting++;
    // After the last byte the connection stays open, to notice that the client leaves.
    if (!isLast) flow.pause();
    turn = turn
      .then(() => feed(piece, isLast))
      .catch((error: unknown) => {
        failed = true;
        flow.refuse(asCulpritError(error, 'internal', 'See the log.'));
      });
  };
}
