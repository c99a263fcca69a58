import type { Config } from './config.js';
import { readConfig } from './read-config.js';

export interface StorageFlags {
  /** Stands over `STORAGE_URL`. */
  readonly url: string | null;
  readonly data: string | null;
  readonly config: string | null;
}

/** What a command needs that opens the storage itself. Makes nothing. */
export function readStorageConfig({ url, data, config }: StorageFlags): Config {
  const env = url === null ? process.env : { ...process.env, STORAGE_URL: url };
  const flags = { data: data ?? undefined, config: config ?? undefined };
  return readConfig({ flags, env, cwd: process.cwd() }).config;
}
