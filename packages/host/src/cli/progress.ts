const WIDTH = 30;
const EVERY_MS = 100;

export interface Progress {
  /** `done` may exceed `all`, because the storage can grow meanwhile. */
  at(done: number, all: number): void;
  /** Removes the bar. */
  end(): void;
}

/** A progress bar on a terminal; otherwise nothing. */
export function progressOn(stream: NodeJS.WriteStream, wanted: boolean): Progress {
  if (!wanted || stream.isTTY !== true) return { at() {}, end() {} };
  const started = performance.now();
  let last = 0;
  return {
    at(count, total) {
      const all = Math.max(1, total);
      const done = Math.min(count, all);
      const now = performance.now();
      if (done < all && now - last < EVERY_MS) return;
      last = now;
      const filled = Math.round((done / all) * WIDTH);
      const rate = Math.round(done / Math.max(0.001, (now - started) / 1000));
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      stream.write(`\r  ${bar}  ${done}/${all}  ${rate}/s \u001b[K`);
    },
    end: () => void stream.write('\r\u001b[K'),
  };
}
