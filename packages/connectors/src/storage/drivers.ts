import type { Logger } from '@culprit/core/connector';
import { type Driver, memoryKeyValue } from '@culprit/core/store';
import type { StorageLocation } from './config.js';
import { openLevel } from './level/open-level.js';
import { openRedis } from './redis/open-redis.js';
import { openSqlite } from './sqlite/sqlite-key-value.js';

export interface DriverOptions {
  readonly logger: Logger;
  /** How long event ids are remembered, in ms; only for a store that removes what has expired by itself. */
  readonly eventIdMs: number;
}

/** Opens the key-value store of a storage. Rejects with `storage_unavailable` if it cannot be used or another process holds it. */
export async function openDriver(place: StorageLocation, options: DriverOptions): Promise<Driver> {
  switch (place.kind) {
    case 'redis':
      return openRedis(place.url, options);
    case 'file':
      return openLevel(place.directory, options);
    case 'sqlite':
      return openSqlite(place.file);
    case 'memory':
      return {
        store: memoryKeyValue(),
        detail: 'In memory: all data is lost when the process ends.',
      };
  }
}
