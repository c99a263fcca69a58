import { type OpenStore, openStore, storage } from '@culprit/connectors/storage';
import type { Connector, Logger } from '@culprit/core';
import { auditKeyFor, knownAuditKey } from '../config/audit-key.js';
import { type Config, storageAddress } from '../config/config.js';

/** Where a core keeps its runs. Its audit key is read, or made, only when the storage is opened. */
export function composeStorage(config: Config): Connector {
  const { retention } = config;
  const url = storageAddress(config);
  return {
    ...storage({ url, retention }),
    setup: (context) => storage({ url, auditKey: auditKeyFor(config), retention }).setup(context),
  };
}

/** The same storage in the hands of a command. `reading`: a file that a running core holds is read from a copy. */
export function openStorage(config: Config, logger: Logger, reading: boolean): Promise<OpenStore> {
  return openStore({ url: storageAddress(config), auditKey: knownAuditKey(config), logger, reading });
}
