import type { Storage } from '@culprit/core/internal/store/open-store';
import { storage } from '../../../src/storage/index.js';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The embedded storage in `directory`. */
export const openStorage = (directory: string) => openStorageAt(`file:${directory}`);

export async function openStorageAt(url: string) {
  const setup = storage({ url }).setup({
    fetch,
    logger,
    signal: new AbortController().signal,
  });
  return (await setup) as unknown as Storage & {
    check(signal: AbortSignal): Promise<unknown>;
    close(): Promise<void>;
  };
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Why SQLite cannot be tried; `false`: it can. */
export const noSqlite =
  major > 22 || (major === 22 && minor >= 13) ? false : 'node:sqlite is part of Node.js 22.13 and later';
