import type { Logger } from '../ports/logger.js';

/** Background work of one engine, and how to stop it. */
export class Tasks {
  private readonly running = new Map<Promise<void>, AbortController>();
  private readonly stopping = new AbortController();

  constructor(private readonly logger: Logger) {}

  /** Aborted when the engine closes. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Starts work with its own signal. A failure is logged. */
  start(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const stopping = new AbortController();
    const task = work(stopping.signal)
      .catch((error) => {
        if (!this.signal.aborted) this.logger.error({ task: name, err: error }, 'a background task failed');
      })
      .finally(() => this.running.delete(task));
    this.running.set(task, stopping);
    if (this.signal.aborted) stopping.abort(this.signal.reason);
  }

  /** Aborts all signals and waits for the running work. */
  async stop(reason: Error): Promise<void> {
    this.stopping.abort(reason);
    for (const stopping of this.running.values()) stopping.abort(reason);
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }
}
