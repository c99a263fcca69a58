import type { Storage } from './memory-store.js';

/** A fresh, empty storage under test. */
export interface StorageSubject extends Storage {
  /** How many feed entries it keeps; absent: 10,000. A small one makes the suite quick. */
  readonly feedEntries?: number;
  close?(): Promise<void>;
}
