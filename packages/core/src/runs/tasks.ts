import type { Logger } from '../ports/logger.js';

/** Work that goes on after its caller has been answered, and what stops it. One for each engine. */
export class Tasks {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly logger: Logger) {}

  /** Aborted when the engine closes. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Starts work; its failure is logged and harms nobody. */
  start(name: string, work: () => Promise<void>): void {
    const task = work()
      .catch((error) => {
        if (!this.signal.aborted) this.logger.error({ task: name, err: error }, 'a background task failed');
      })
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  /** Aborts the signal and waits for everything that was started. */
  async stop(reason: Error): Promise<void> {
    this.stopping.abort(reason);
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
