// @ts-check
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CulpritError, defineConnector, isCulpritError } from '@culprit/core/connector';
import { memoryKeyValue, storageParts } from '@culprit/core/store';
import * as v from 'valibot';

/** Where the host runs this connector: in core, in place of the storage of STORAGE_URL. */
export const ports = ['PORT'];

/** Stores everything that core keeps. Replace the file below by your database. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({ path: v.string() }),
  setup: async ({ path }, { logger }) =>
    storageParts({ store: await openStore(path), detail: `Durable in ${path}.` }, { logger }),
});

/**
 * A log of commits in one file, each a line of JSON, and all of it in memory. One process may use it at a time.
 *
 * @param {string} path
 * @returns {Promise<import('@culprit/core/store').KeyValue>}
 */
export async function openStore(path) {
  await mkdir(dirname(path), { recursive: true });
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
    },
  };
}

/** A store of one process compares no versions and numbers no feed. */
const NOTHING_SHARED = { expected: new Map(), feed: { entries: [], keep: 0 } };
