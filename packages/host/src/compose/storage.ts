import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { copyStore, type OpenStore, openStore, storage, storeDamage } from '@culprit/connectors/storage';
import { type Connector, CulpritError, type Logger } from '@culprit/core';
import { DEFAULT_RETENTION } from '@culprit/core/store';
import { type Config, isInFiles, storageAddress } from '../config/config.js';
import { auditKeyFor, knownAuditKey } from '../config/generated-secrets.js';
import { createOnlyPrivateFiles } from '../config/private-files.js';

/**
 * Core's storage. Its audit key is read, or generated, only when the storage is opened. `checking`: nothing is created or
 * changed. A storage that does not exist yet is replaced by one in memory, and files are opened as a copy.
 */
export function composeStorage(config: Config, checking: boolean): Connector {
  const { retention } = config;
  const url = checking && isNew(config) ? 'memory:' : storageAddress(config);
  if (checking && url !== 'memory:' && isInFiles(config)) return copied(config);
  const auditKey = checking ? knownAuditKey : auditKeyFor;
  return {
    ...storage({ url, retention }),
    setup: (context) => storage({ url, auditKey: auditKey(config), retention }).setup(context),
  };
}

function copied(config: Config): Connector {
  const { storageUrl } = config;
  return {
    ...storage({ url: 'memory:' }),
    async setup(context) {
      if (storageUrl.startsWith('file:')) await refuseDamaged(storageUrl.slice('file:'.length));
      const copy = await copyStore(storageUrl);
      const auditKey = knownAuditKey(config);
      const parts = async () => storage({ url: copy.url, auditKey, retention: null }).setup(context);
      const opened = await parts().catch((error: unknown) => copy.remove().then(() => Promise.reject(error)));
      const detail = `${storageUrl}; a copy of it opens`;
      return {
        ...opened,
        check: async (signal) =>
          (await opened.check?.(signal))?.map((one) => (one.name === 'storage' ? { ...one, detail } : one)) ??
          [],
        close: async () => {
          await opened.close?.();
          await copy.remove();
        },
      };
    },
  };
}

/** What changes meanwhile only looks damaged, but not twice in the same way. */
async function refuseDamaged(directory: string): Promise<void> {
  const seen = await storeDamage(directory);
  const damage = seen.length === 0 ? [] : (await storeDamage(directory)).filter((one) => seen.includes(one));
  if (damage.length === 0) return;
  const detail = `The storage in ${directory} is damaged: ${damage.join(', ')}. Stop core and run: culprit store repair`;
  throw new CulpritError('storage_unavailable', detail);
}

/** True for a storage in files that does not exist yet. */
export function isNew({ storageUrl }: Config): boolean {
  if (storageUrl.startsWith('sqlite:')) return !existsSync(storageUrl.slice('sqlite:'.length));
  if (!storageUrl.startsWith('file:')) return false;
  const directory = join(storageUrl.slice('file:'.length), 'store');
  return !existsSync(directory) || !readdirSync(directory).some((name) => name !== 'LOCK');
}

/** The settings that are set and do not reach an external store: those of the built-in one. */
export function withoutEffect({ auditKey, retention }: Config): string {
  const isDefault = isDeepStrictEqual(retention, DEFAULT_RETENTION);
  return [...(auditKey === null ? [] : ['AUDIT_KEY']), ...(isDefault ? [] : ['RETENTION'])].join(' and ');
}

/** The same storage for a command. `reading`: files that a running core has locked are read from a copy. */
export function openStorage(config: Config, logger: Logger, reading: boolean): Promise<OpenStore> {
  createOnlyPrivateFiles();
  return openStore({ url: storageAddress(config), auditKey: knownAuditKey(config), logger, reading });
}
