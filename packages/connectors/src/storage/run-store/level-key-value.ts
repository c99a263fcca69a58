import { mkdir } from 'node:fs/promises';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { KeyValue } from './key-value.js';
import { loadLevel } from './load-level.js';
import { checkRoom } from './room.js';

/** LevelDB's memory table: larger means fewer, larger tables, and more log to read at a start. */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
/** With LevelDB's default of 2 MiB a million runs make a thousand tables, more than it keeps open. */
const TABLE_BYTES = 16 * 1024 * 1024;
/** Cache of recently read blocks. */
const CACHE_BYTES = 32 * 1024 * 1024;

export interface LevelKeyValue extends KeyValue {
  /** `progress` receives approximate bytes: done, and in total. */
  compact(progress?: (done: number, all: number) => void): Promise<void>;
}

/** Every key starts with its family's letter. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A {@link KeyValue} on LevelDB, owned by this process alone. A batch is one synced write. After a failed write LevelDB
 * refuses further writes until it is reopened. `recover` reopens it as soon as the disk accepts writes; reads continue
 * meanwhile.
 */
export async function levelKeyValue(directory: string): Promise<LevelKeyValue> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw unavailable(directory, error);
  });
  const { ClassicLevel } = await loadLevel();
  const db = new ClassicLevel<string, string>(directory, {
    keyEncoding: 'utf8',
    valueEncoding: 'utf8',
    writeBufferSize: WRITE_BUFFER_BYTES,
    maxFileSize: TABLE_BYTES,
    cacheSize: CACHE_BYTES,
  });
  let closed = false;
  let opening: Promise<void> | null = null;

  const open = (): Promise<void> => {
    if (closed) return Promise.reject(new CulpritError('closed', 'The storage is closed.'));
    opening ??= db.open().finally(() => {
      opening = null;
    });
    return opening;
  };
  const use = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      if (opening !== null || db.status !== 'open') await open();
      return await work();
    } catch (error) {
      throw error instanceof CulpritError ? error : unavailable(directory, error);
    }
  };

  await use(async () => {});
  return {
    getMany: (keys) => use(() => db.getMany([...keys])),
    entries: (range) => use(() => db.iterator({ ...range, fillCache: true }).all()),
    batch: (operations) =>
      use(() => {
        // Chained: half the cost of a batch built from an array.
        const batch = db.batch();
        for (const operation of operations) {
          if (operation.type === 'put') batch.put(operation.key, operation.value);
          else batch.del(operation.key);
        }
        return batch.write({ sync: true });
      }),
    recover: async () => {
      if (db.status === 'open') {
        await checkRoom(directory).catch((error) => {
          throw unavailable(directory, error);
        });
        opening ??= db
          .close()
          .then(() => db.open())
          .finally(() => {
            opening = null;
          });
      }
      await use(async () => {});
    },
    compact: (progress = () => {}) =>
      use(async () => {
        // A table that was written from memory keeps replaced values until another one overlaps it: deletions of absent keys at both ends do.
        await db.compactRange('a', 'a');
        await db.batch().del('a').del('z\uffff').write({ sync: true });
        const ranges = [...LETTERS].map((letter) => [letter, `${letter}\uffff`] as const);
        const sizes = await Promise.all(ranges.map(([from, to]) => db.approximateSize(from, to)));
        const all = sizes.reduce((sum, size) => sum + size, 0);
        let done = 0;
        for (const [at, [from, to]] of ranges.entries()) {
          await db.compactRange(from, to);
          done += sizes[at] ?? 0;
          if (all > 0) progress(done, all);
        }
      }),
    close: async () => {
      closed = true;
      await opening?.catch(() => {});
      await db.close();
    },
  };
}

const HELD = 'held_by_another_process';

export function isHeldElsewhere(error: unknown): boolean {
  return isCulpritError(error) && error.reason === HELD;
}

function unavailable(directory: string, error: unknown): CulpritError {
  const causes = [error, (error as { cause?: unknown } | null)?.cause].filter(
    (part) => part instanceof Error,
  );
  if (causes.some((part) => 'code' in part && part.code === 'LEVEL_LOCKED')) {
    const detail = `Another process holds ${directory}. Stop it, or set STORAGE_URL=file:<dir> to another directory.`;
    return new CulpritError('storage_unavailable', detail, { cause: error, reason: HELD });
  }
  const detail = causes.map(({ message }) => message).at(-1) ?? 'unknown failure';
  return new CulpritError(
    'storage_unavailable',
    `The storage in ${directory} failed: ${detail}. Check the disk's free space, permissions and health. Writes resume automatically.`,
    { cause: error },
  );
}
