import { defineConnector, type Logger } from '@culprit/core/connector';
import { walkValues } from '@culprit/core/internal/store/values';
import { type KeyValue, storageParts } from '@culprit/core/store';
import { storageConfig } from './config.js';
import { openDriver } from './drivers.js';

/**
 * Storage: `memory:` is lost with the process, `file:<dir>` and `sqlite:<file>` are durable and owned by one process, `redis://` is
 * shared by any number of processes.
 * Rejects at start with `configuration` for an unknown URL, and with `storage_unavailable` if the files cannot be
 * used, another process holds them, or Redis is unreachable.
 */
export const storage = defineConnector({
  id: 'storage',
  config: storageConfig,
  setup: async ({ url: place, ...options }, { logger }) => {
    const driver = await openDriver(place, { logger, eventIdMs: options.eventIdMs });
    const parts = await storageParts(driver, { logger, ...options });
    if (place.kind === 'file' && parts.values) void dropStoredAnswers(driver.store, parts.values, logger);
    return parts;
  },
});

/** Version 0.1 kept answers of code hosts among the values, without an end. */
async function dropStoredAnswers(
  store: KeyValue,
  values: { delete(key: string): Promise<void> },
  logger: Logger,
): Promise<void> {
  try {
    for (const host of ['github', 'gitlab'])
      for await (const { value } of walkValues(store, `connector:${host}:answers:`))
        await values.delete(value);
  } catch (error) {
    logger.debug({ err: error }, 'stored answers were not removed');
  }
}

export { type Cache, type CacheContext, type CacheOptions, openCache } from '../shared/open-cache.js';
export { type RepairOptions, repairStore, type StoreRepair, storeDamage } from './level/repair-store.js';
export { copyStore, type OpenStore, type OpenStoreOptions, openStore, type StoreCopy } from './open-store.js';
