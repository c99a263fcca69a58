import { setTimeout as sleep } from 'node:timers/promises';

/** Lets work in the background pause, and end early. */
export interface Stoppable {
  readonly signal: AbortSignal;
  /** Ends at once when stopped; keeps no process alive. */
  pause(ms: number): Promise<void>;
  /** Between two steps of a long piece of work; rejects when stopped. */
  stepPause(): Promise<void>;
  stop(): void;
}

export function createStoppable(stepMs: number): Stoppable {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  return {
    signal,
    pause,
    async stepPause() {
      await pause(stepMs);
      signal.throwIfAborted();
    },
    stop: () => stopped.abort(),
  };
}
