import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenStore, openStore, storage } from '@culprit/connectors/storage';
import type { Connector, Logger } from '@culprit/core';
import { auditKeyFor, knownAuditKey } from '../config/audit-key.js';
import { type Config, storageAddress } from '../config/config.js';

/**
 * Core's storage. Its audit key is read, or generated, only when the storage is opened. `checking`: nothing is created, and a
 * storage that does not exist yet is replaced by one in memory.
 */
export function composeStorage(config: Config, checking: boolean): Connector {
  const { retention } = config;
  const url = checking && isNew(config) ? 'memory:' : storageAddress(config);
  const auditKey = checking ? knownAuditKey : auditKeyFor;
  return {
    ...storage({ url, retention }),
    setup: (context) => storage({ url, auditKey: auditKey(config), retention }).setup(context),
  };
}

/** True for a storage in files that does not exist yet. */
export function isNew({ storageUrl }: Config): boolean {
  return storageUrl.startsWith('file:') && !existsSync(join(storageUrl.slice('file:'.length), 'store'));
}

/** The same storage for a command. `reading`: files that a running core has locked are read from a copy. */
export function openStorage(config: Config, logger: Logger, reading: boolean): Promise<OpenStore> {
  return openStore({ url: storageAddress(config), auditKey: knownAuditKey(config), logger, reading });
}
