/** Time. The only source of "now" in core. Law: never goes to the operating system twice for one answer. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason when it is aborted first. Work waits for it, so it keeps
   * the process alive, unless it is in the background.
   */
  sleep(ms: number, signal?: AbortSignal, background?: boolean): Promise<void>;
}
