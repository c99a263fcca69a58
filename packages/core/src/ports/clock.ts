import type { Port } from '../domain/port.js';

/** The only source of the current time in core. Must return UTC. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason if it is aborted first. Keeps the process alive
   * unless `background` is set.
   */
  sleep(ms: number, signal?: AbortSignal, background?: boolean): Promise<void>;
}
export const Clock = Symbol('Clock') as Port<Clock>;
