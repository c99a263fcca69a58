import * as v from 'valibot';
import type { Connector } from '../connector/connector.js';
import { defineConnector } from '../connector/define-connector.js';
import type { Values } from '../ports/values.js';
import { openMemoryStore, type Storage } from '../store/open-store.js';

/** The behaviour of `memoryStorage`. */
export interface MemoryStorageOptions {
  /** Milliseconds since 1970, for the expiry of values. */
  readonly now?: () => number;
  /** How many feed entries are buffered. */
  readonly feedEntries?: number;
}

/** Storage in memory, for unit tests: the real one, over a store that is lost with the process. */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  const { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values } =
    openMemoryStore(options);
  return { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values };
}

/** {@link memoryStorage} as a connector, for `createEngine`. */
export function memoryStorageConnector(storage: Storage = memoryStorage()): Connector {
  return defineConnector({ id: 'memory-storage', config: v.object({}), setup: () => ({ ...storage }) })({});
}

/** Values in memory. */
export function memoryValues(now: () => number = Date.now): Values {
  return memoryStorage({ now }).values;
}
