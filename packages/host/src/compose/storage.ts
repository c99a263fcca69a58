import { type OpenStore, openStore, storage } from '@culprit/connectors/storage';
import type { Connector, Logger } from '@culprit/core';
import { auditKeyFor, knownAuditKey } from '../config/audit-key.js';
import { type Config, storageAddress } from '../config/config.js';

/** Core's storage. Its audit key is read, or generated, only when the storage is opened. */
export function composeStorage(config: Config): Connector {
  const { retention } = config;
  const url = storageAddress(config);
  return {
    ...storage({ url, retention }),
    setup: (context) => storage({ url, auditKey: auditKeyFor(config), retention }).setup(context),
  };
}

/** The same storage for a command. `reading`: files that a running core has locked are read from a copy. */
export function openStorage(config: Config, logger: Logger, reading: boolean): Promise<OpenStore> {
  return openStore({ url: storageAddress(config), auditKey: knownAuditKey(config), logger, reading });
}
