import type { Storage } from '../../../src/store/open-store.js';

/** A fresh, empty storage under test. */
export interface StorageSubject extends Storage {
  /** How many feed entries it buffers; default 10,000. A small number makes the suite faster. */
  readonly feedEntries?: number;
  close?(): Promise<void>;
}
