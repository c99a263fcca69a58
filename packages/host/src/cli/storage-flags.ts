import type { OpenStore } from '@culprit/connectors/storage';
import { silentLogger } from '@culprit/core';
import { openStorage } from '../compose/storage.js';
import type { Config } from '../config/config.js';
import { currentConfig } from '../config/load-config.js';
import type { Flags, ReadFlags } from './read-flags.js';
import { CONFIG_FLAG, settingFlags } from './server-flags.js';

/** Flags of every command that opens the storage itself. */
export const STORAGE_FLAGS: Flags = {
  storage: { value: 'URL', meaning: 'the storage (STORAGE_URL; default: from the configuration)' },
  ...settingFlags(['dataDirectory']),
  ...CONFIG_FLAG,
};

/** `storage` overrides the flag and the environment. */
export function storageConfig(flags: ReadFlags, storage: string | null = flags.text('storage')): Config {
  return currentConfig({ storage, data: flags.text('data'), config: flags.text('config') });
}

/** Opens the configured storage for `work`, then closes it. */
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
