import type { Logger } from '../ports/logger.js';

/** Work that goes on after its caller has been answered, and what stops it. One for each engine. */
export class Tasks {
  private readonly running = new Map<Promise<void>, AbortController>();
  private readonly stopping = new AbortController();

  constructor(private readonly logger: Logger) {}

  /** Aborted when the engine closes. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Starts work; its failure is logged and harms nobody. It gets a signal of its own, for there may be hundreds. */
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

  /** Aborts the signals and waits for everything that was started. */
  async stop(reason: Error): Promise<void> {
    this.stopping.abort(reason);
    for (const stopping of this.running.values()) stopping.abort(reason);
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }
}
