import type { CulpritError } from '@culprit/core';

/** A body that is read while it arrives. */
export interface ArrivingBody {
  /** May be iterated once. Throws the reason of {@link ArrivingBody.fail}. */
  readonly pieces: AsyncIterable<Uint8Array>;
  arrived(piece: Uint8Array): void;
  end(): void;
  /** What has not been read yet is dropped. */
  fail(reason: CulpritError): void;
}

export interface Flow {
  /** Called when the handler begins to read. */
  begun(): void;
  pause(): void;
  resume(): void;
}

/** The sender is paused while pieces wait to be read, so that at most one read of the socket is in memory. */
export function arrivingBody(flow: Flow): ArrivingBody {
  let waiting: Uint8Array[] = [];
  let ended = false;
  let paused = false;
  let failure: CulpritError | null = null;
  let wake: (() => void) | null = null;
  const changed = () => {
    wake?.();
    wake = null;
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    flow.begun();
    for (;;) {
      if (failure !== null) throw failure;
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (ended) return;
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (paused) {
        paused = false;
        flow.resume();
      }
      await more;
    }
  }
  return {
    pieces: pieces(),
    arrived(piece) {
      if (failure !== null) return;
      waiting.push(piece);
      if (!paused) {
        paused = true;
        flow.pause();
      }
      changed();
    },
    end() {
      ended = true;
      changed();
    },
    fail(reason) {
      failure ??= reason;
      waiting = [];
      changed();
    },
  };
}
