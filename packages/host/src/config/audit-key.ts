import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_KEY_CHARS, CulpritError } from '@culprit/core';
import type { Config } from './config.js';
import { makeDirectory } from './make-directory.js';
import { makeFile } from './make-file.js';

/** Beside the storage and not in it: who copies or edits the storage alone cannot seal what he changed. */
export function auditKeyPath({ dataDirectory }: Config): string {
  return join(dataDirectory, 'audit.key');
}

/** The key that was given, or the one that a core made here; `null` where there is none. */
export function knownAuditKey(config: Config): string | null {
  if (config.auditKey !== null) return config.auditKey.reveal();
  let text: string;
  try {
    text = readFileSync(auditKeyPath(config), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (text.length >= AUDIT_KEY_CHARS) return text;
  throw new CulpritError(
    'configuration',
    `${auditKeyPath(config)} holds no audit key. Restore it from a backup.`,
  );
}

/**
 * The same, and one is made where the storage is this machine's own. Cores that share a storage must be given one, since
 * each would make another.
 */
export function auditKeyFor(config: Config): string | null {
  const known =
    config.storageUrl.startsWith('file:') || config.auditKey !== null ? knownAuditKey(config) : null;
  if (known !== null || !config.storageUrl.startsWith('file:')) return known;
  makeDirectory(config.dataDirectory);
  makeFile(auditKeyPath(config), `${randomBytes(32).toString('base64url')}\n`);
  return knownAuditKey(config);
}
