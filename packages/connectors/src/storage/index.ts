import { join } from 'node:path';
import { type Check, defineConnector } from '@culprit/core';
import { storageConfig } from './config.js';
import { sharedStorage } from './redis/shared-storage.js';
import { embeddedStorage } from './run-store/embedded-storage.js';
import { levelKeyValue } from './run-store/level-key-value.js';
import { memoryKeyValue } from './run-store/memory-key-value.js';
import type { RetentionParts } from './run-store/retention.js';
import { startRetention } from './run-store/retention-task.js';
import { startIndexing } from './run-store/search/index-task.js';
import { keyvValues } from './values.js';
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
  setup: async ({ url: place, feedEntries, eventIdMs, auditKey, retention }, { logger }) => {
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
      return { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values, check, close };
    }
    const store =
      place.kind === 'file' ? await levelKeyValue(join(place.directory, 'store')) : memoryKeyValue();
    const opened = await embeddedStorage(store, { logger, feedEntries, auditKey }).catch(async (error) => {
      await store.close();
      throw error;
    });
    const { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, writer, feed } = opened;
    const values = keyvValues(place.kind === 'file' ? valuesAdapter(store, writer) : new Map());
    const stop = task({ reads: store, writer, feed, values }, eventIdMs);
    const detail =
      place.kind === 'file'
        ? `Durable in ${place.directory}, used by this process only.`
        : 'In memory: all data is lost when the process ends.';
    const check = async (): Promise<readonly Check[]> => {
      await writer.write(async (tx) => tx.put('m/check', 'ok'));
      return [{ name: 'storage', ok: true, detail }];
    };
    const close = () => stop().then(opened.close);
    return { runStore, runHistory, runOccurrences, runValues, runUsage, statusFeed, values, check, close };
  },
});

export { DEFAULT_RETENTION, type Keeping, type Retention } from './run-store/retention.js';
export { sealWith } from './run-store/seal.js';
export { copyStore, type StoreCopy } from './tools/copy-store.js';
export { type Erased, type Erasure, erasePersonFrom } from './tools/erase.js';
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
export { checkEmpty, importAll } from './tools/transfer.js';
