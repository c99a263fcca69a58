import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import { AUDIT_KEY_CHARS } from '@culprit/core/model';
import type { Config } from './config.js';
import { createDirectory, createFile } from './private-files.js';

/** Next to the storage, not in it: copying or editing the storage alone does not let anyone seal changes. */
export function auditKeyPath({ dataDirectory }: Config): string {
  return join(dataDirectory, 'audit.key');
}

/** The configured key, or the one that core generated here; `null` if there is none. */
export function knownAuditKey(config: Config): string | null {
  if (config.auditKey !== null) return config.auditKey.reveal();
  const path = auditKeyPath(config);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (text.length >= AUDIT_KEY_CHARS) return text;
  throw new CulpritError('configuration', `${path} does not contain an audit key. Restore it from a backup.`);
}

/** The same; generates a key for a storage in files. Cores that share a storage must be given the same key. */
export function auditKeyFor(config: Config): string | null {
  if (!config.storageUrl.startsWith('file:')) return config.auditKey?.reveal() ?? null;
  const known = knownAuditKey(config);
  if (known !== null) return known;
  createDirectory(config.dataDirectory);
  createFile(auditKeyPath(config), `${randomBytes(32).toString('base64url')}\n`);
  return knownAuditKey(config);
}
