import type { Erased } from '@culprit/core/internal/ports/person-erasure';

/** What was found, or erased. */
export interface Report extends Erased {
  /** Deliveries and dead letters of this machine's edge. */
  readonly spool: number;
  /** An edge uses the spool, which names the person: nothing of it was erased. */
  readonly spool_in_use?: true;
}

/** Erases one person: by a running core, or in a storage that the command opens. */
export interface Eraser {
  count(): Promise<Report>;
  /** `unseen`: what was not counted before goes, too. */
  erase(unseen: boolean): Promise<Report>;
}
