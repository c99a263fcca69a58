import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
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
  const text = textOf(path);
  if (text === null || text.length >= AUDIT_KEY_CHARS) return text;
  throw new CulpritError('configuration', noKey(path));
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (/^ENO(?:ENT|TDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** What is wrong with the key file: it is gone, or another one is in its place. `null`: nothing. */
export function auditKeyProblem(config: Config): string | null {
  if (config.auditKey !== null || !config.storageUrl.startsWith('file:')) return null;
  const path = auditKeyPath(config);
  const last = textOf(traceOf(path));
  const key = textOf(path);
  if (key !== null && key.length < AUDIT_KEY_CHARS) return noKey(path);
  if (last === null || last === (key && traceOfKey(key))) return null;
  return `${path} ${key === null ? 'is gone' : 'is not the key'} with which histories were sealed here. Restore it from a backup. To seal with ${key === null ? 'a new key' : 'this key'} from now on, delete ${traceOf(path)}: "culprit audit verify" then fails for entries that were sealed before.`;
}

/**
 * The key; generates one for a storage in files that never had one. Cores that share a storage must be given the same key.
 * @throws `configuration` if the key is lost: sealed anew, a changed history would look whole.
 */
export function auditKeyFor(config: Config): string | null {
  if (!config.storageUrl.startsWith('file:')) return config.auditKey?.reveal() ?? null;
  const problem = auditKeyProblem(config);
  if (problem !== null) throw new CulpritError('configuration', problem);
  const path = auditKeyPath(config);
  if (knownAuditKey(config) === null) {
    createDirectory(config.dataDirectory);
    createFile(path, `${randomBytes(32).toString('base64url')}\n`);
  }
  const key = knownAuditKey(config);
  if (config.auditKey === null && key !== null && !existsSync(traceOf(path)))
    createFile(traceOf(path), `${traceOfKey(key)}\n`);
  return key;
}

const noKey = (path: string) => `${path} does not contain an audit key. Restore it from a backup.`;

/** Beside the key: its hash, by which a lost key is noticed. */
const traceOf = (path: string) => `${path}.sha256`;
const traceOfKey = (key: string) => createHash('sha256').update(key).digest('hex');
