import type { OpenStore } from '@culprit/connectors/storage';
import { silentLogger } from '@culprit/core';
import { openStorage } from '../compose/storage.js';
import type { Config } from '../config/config.js';
import { readStorageConfig } from '../config/storage-config.js';
import type { Flags, ReadFlags } from './read-flags.js';

/** Flags of every command that opens the storage itself. */
export const STORAGE_FLAGS: Flags = {
  storage: { value: 'URL', meaning: 'the storage (STORAGE_URL; default: the one configured here)' },
  data: { value: 'DIR', meaning: 'the data directory (DATA_DIR; default .culprit)' },
  config: { value: 'FILE', meaning: 'settings as JSON (CULPRIT_CONFIG; default culprit.json)' },
};

/** `url` stands over the flag and the environment. */
export function storageConfig(flags: ReadFlags, url: string | null = flags.text('storage')): Config {
  return readStorageConfig({ url, data: flags.text('data'), config: flags.text('config') });
}

/** Opens the configured storage, works with it, and closes it whatever happens. */
export async function withStorage<Result>(
  config: Config,
  reading: boolean,
  work: (store: OpenStore) => Promise<Result>,
): Promise<Result> {
  const store = await openStorage(config, silentLogger, reading);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
