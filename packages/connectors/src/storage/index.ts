import { join } from 'node:path';
import { type Check, defineConnector } from '@culprit/core/connector';
import { keyvValues } from '../shared/keyv-values.js';
import { storageConfig } from './config.js';
import { memoryValueKeys, personErasure } from './erase/person-erasure.js';
import { lossCheck, watchTables } from './level/watch-tables.js';
import { sharedStorage } from './redis/shared-storage.js';
import { embeddedStorage } from './run-store/embedded-storage.js';
import { keys } from './run-store/keys.js';
import { levelKeyValue } from './run-store/level-key-value.js';
import { memoryKeyValue } from './run-store/memory-key-value.js';
import type { RetentionParts } from './run-store/retention.js';
import { startRetention } from './run-store/retention-task.js';
import { sealWith } from './run-store/seal.js';
import { startIndexing } from './run-store/search/index-task.js';
import { dropStoredAnswers } from './tools/drop-stored-answers.js';
import { levelDump } from './tools/dump.js';
import { redisDump } from './tools/redis-dump.js';
import { valuesAdapter } from './values-adapter.js';

/**
 * Storage: `memory:` is lost with the process, `file:<dir>` is durable and owned by one process, `redis://` is shared by any
 * number of processes.
 * Rejects at start with `configuration` for an unknown URL, and with `storage_unavailable` if the directory cannot be
 * used, another process holds it, or Redis is unreachable.
 */
export const storage = defineConnector({
  id: 'storage',
  config: storageConfig,
  setup: async ({ url: place, cache, feedEntries, eventIdMs, auditKey, retention }, { logger }) => {
    const task = (
      parts: Pick<RetentionParts, 'reads' | 'writer' | 'feed' | 'values'>,
      ids: number | null,
    ) => {
      const indexing = startIndexing({ ...parts, logger });
      const keeping = startRetention({ ...parts, retention, eventIdMs: ids, logger, now: Date.now });
      return () => Promise.all([indexing(), keeping()]);
    };
    if (place.kind === 'redis') {
      const shared = await sharedStorage({ url: place.url, logger, feedEntries, eventIdMs, auditKey });
      const { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values, check } = shared;
      const stop = task(shared, null);
      const close = () => stop().then(shared.close);
      const dump = redisDump(shared.redis, shared.reads);
      const erasure = personErasure({
        ...shared,
        cache: cache ?? shared.cache,
        ...dump,
        seal: sealWith(auditKey),
        compact: async () => {},
      });
      const ports = { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values };
      return { ...ports, cache: cache ?? shared.cache, personErasure: erasure, check, close };
    }
    const level = place.kind === 'file' ? await levelKeyValue(join(place.directory, 'store')) : null;
    const store = level ?? memoryKeyValue();
    const opened = await embeddedStorage(store, { logger, feedEntries, auditKey }).catch(async (error) => {
      await store.close();
      throw error;
    });
    const { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, writer, feed } = opened;
    const memory = new Map<string, unknown>();
    const values = keyvValues(level === null ? memory : valuesAdapter(store, writer));
    const stop = task({ reads: store, writer, feed, values }, eventIdMs);
    const detail =
      place.kind === 'file'
        ? `Durable in ${place.directory}, used by this process only.`
        : 'In memory: all data is lost when the process ends.';
    if (level !== null) void dropStoredAnswers(level, values, logger);
    const tables = level === null ? null : watchTables(level, logger);
    const check = async (): Promise<readonly Check[]> => {
      await writer.write(async (tx) => tx.put('m/check', 'ok'));
      const [loss] = await store.getMany([keys.loss]);
      const found = [...(tables?.damage() ?? []), ...(loss === undefined ? [] : [lossCheck(loss)])];
      return [{ name: 'storage', ok: true, detail }, ...found];
    };
    const close = () => Promise.all([stop(), tables?.stop()]).then(opened.close);
    const erasure = personErasure({
      ...{ reads: store, writer, feed, values, cache: cache ?? null, seal: sealWith(auditKey) },
      ...levelDump(store),
      ...(level === null ? { valueKeys: (families) => memoryValueKeys(memory, families) } : {}),
      compact: async () => level?.compact(),
    });
    const ports = { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values };
    return { ...ports, ...(cache && { cache }), personErasure: erasure, check, close };
  },
});

export { type Cache, type CacheContext, type CacheOptions, openCache } from '../shared/open-cache.js';
export { type Erased, type Erasure, erasePersonFrom } from './erase/erase-person-from.js';
export { DEFAULT_RETENTION, type Keeping, type Retention } from './run-store/retention.js';
export { sealWith } from './run-store/seal.js';
export { copyStore, type StoreCopy } from './tools/copy-store.js';
export {
  checkExport,
  type ExportEnd,
  type ExportHead,
  exportLines,
  readKept,
  sha256,
} from './tools/export-file.js';
export { type OpenStore, type OpenStoreOptions, openStore } from './tools/open-store.js';
export { INSTALL_KEY } from './tools/record-check.js';
export { type RepairOptions, repairStore, type StoreRepair, storeDamage } from './tools/repair-store.js';
export { checkEmpty, importAll } from './tools/transfer.js';
