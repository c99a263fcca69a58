// @ts-check
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CulpritError, defineConnector, isCulpritError } from '@culprit/core/connector';
import { memoryKeyValue, storageParts, storageSettings } from '@culprit/core/store';
import * as v from 'valibot';

/** Where the host runs this connector: in core, in place of the storage of STORAGE_URL. */
export const ports = ['PORT'];

/** Stores everything that core keeps. Replace the file below by your database. */
export const connector = defineConnector({
  id: 'NAME',
  // storageSettings: auditKey and retention. AUDIT_KEY and RETENTION of the host do not reach this store.
  config: v.strictObject({ path: v.string(), ...storageSettings }),
  setup: async ({ path, ...settings }, { logger }) =>
    storageParts({ store: await openStore(path), detail: `Durable in ${path}.` }, { logger, ...settings }),
});

/**
 * A log of commits in one file, each a line of JSON, and all of it in memory. One process may use it at a time.
 *
 * @param {string} path
 * @returns {Promise<import('@culprit/core/store').KeyValue>}
 */
export async function openStore(path) {
  let unlock = async () => {};
  try {
    await mkdir(dirname(path), { recursive: true });
    unlock = await lock(resolve(`${path}.lock`));
    return await openFile(path, unlock);
  } catch (cause) {
    await unlock();
    if (isCulpritError(cause)) throw cause;
    throw new CulpritError('storage_unavailable', `The storage in ${path} cannot be opened.`, { cause });
  }
}

/**
 * @param {string} path
 * @param {() => Promise<void>} unlock
 * @returns {Promise<import('@culprit/core/store').KeyValue>}
 */
async function openFile(path, unlock) {
  const file = await open(path, 'a+', 0o600);
  const written = await readFile(path);
  // A line without its end was never committed.
  let length = written.lastIndexOf('\n') + 1;
  await file.truncate(length);
  const memory = memoryKeyValue();
  for (const line of written.subarray(0, length).toString().split('\n').slice(0, -1))
    await memory.commit({ operations: JSON.parse(line), ...NOTHING_SHARED });
  let closed = false;
  /**
   * @template Result
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  const use = async (work) => {
    if (closed) throw new CulpritError('closed', 'The storage is closed.');
    try {
      return await work();
    } catch (cause) {
      if (isCulpritError(cause)) throw cause;
      throw new CulpritError('storage_unavailable', `The storage in ${path} failed.`, { cause });
    }
  };
  return {
    getMany: (keys) => use(() => memory.getMany(keys)),
    entries: (range) => use(() => memory.entries(range)),
    // Core sends one commit at a time.
    commit: (commit) =>
      use(async () => {
        const line = Buffer.from(`${JSON.stringify(commit.operations)}\n`);
        await file.appendFile(line);
        await file.datasync();
        length += line.length;
        return memory.commit(commit);
      }),
    // The commit that failed may be in the file, whole or in part.
    recover: () => use(() => file.truncate(length)),
    close: async () => {
      if (closed) return;
      closed = true;
      await file.close();
      await unlock();
    },
  };
}

/** The locks that this process holds. */
const held = new Set();

/**
 * Refuses a second process. The file names the process that holds it, so the lock of a killed one is taken over.
 *
 * @param {string} path
 * @returns {Promise<() => Promise<void>>} releases it
 */
async function lock(path) {
  const holder = await readFile(path, 'utf8').catch(() => null);
  if (holder !== null) {
    if (held.has(path) || isAlive(Number(holder))) throw locked(path);
    await rm(path, { force: true });
  }
  await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 });
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true });
  };
}

/** @param {string} path */
function locked(path) {
  const detail = `Another process uses the storage. Stop it; if there is none, delete ${path}.`;
  return new CulpritError('storage_unavailable', detail);
}

/** @param {number} pid */
function isAlive(pid) {
  // Not held, but our own: of a process before this one, as after the restart of a container.
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // There is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A store of one process compares no versions and numbers no feed. */
const NOTHING_SHARED = { expected: new Map(), feed: { entries: [], keep: 0 } };
