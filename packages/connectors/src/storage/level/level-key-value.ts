import { existsSync } from 'node:fs';
import { chmod, mkdir, open as openFile, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CulpritError } from '@culprit/core/connector';
import { keys } from '@culprit/core/internal/store/keys';
import type { KeyValue } from '@culprit/core/store';
import { damagedBlocks, type Inspection, inspect } from './inspect.js';
import { holdStore, loadLevel } from './load-level.js';
import { openMark } from './mark.js';

/** LevelDB's memory table: larger means fewer, larger tables, and more log to read at a start. */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
/** With LevelDB's default of 2 MiB a million runs make a thousand tables, more than it keeps open. */
const TABLE_BYTES = 16 * 1024 * 1024;
/** Cache of recently read blocks. */
const CACHE_BYTES = 32 * 1024 * 1024;

export interface LevelKeyValue extends KeyValue {
  /** `progress` receives approximate bytes: done, and in total. */
  compact(progress?: (done: number, all: number) => void): Promise<void>;
  /** Reads every table of the last start, with pauses. Resolves with the names of damaged ones. */
  damagedTables(pause: () => Promise<void>): Promise<readonly string[]>;
}

export interface LevelOptions {
  /** True: damage is not looked for. */
  readonly asFound?: boolean;
}

const UNSEEN = { damage: [], sequence: 0, tables: [] };

/** Every key starts with its family's letter. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A {@link KeyValue} on LevelDB, owned by this process alone. A commit is one synced write. After a failed write LevelDB
 * refuses further writes until it is reopened. `recover` reopens it as soon as the disk accepts writes; reads continue
 * meanwhile.
 */
export async function levelKeyValue(
  directory: string,
  { asFound = false }: LevelOptions = {},
): Promise<LevelKeyValue> {
  await finishRepair(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw unavailable(directory, error);
  });
  const look = () => (asFound ? UNSEEN : inspectWhole(directory));
  // Before the database exists: it opens itself at once.
  let seen: Inspection | null = await look();
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
  let tables: readonly string[] = [];
  const mark = openMark(directory);

  const openWhole = async () => {
    const { sequence, tables: found } = seen ?? (await look());
    seen = null;
    tables = found ?? [];
    await db.open();
    await keepPrivate(directory);
    const missing = await mark.start(sequence);
    if (missing > 0) {
      const text = lossText(`the last ${missing} changes were missing at a start`);
      await db.put(keys.loss, text, { sync: true });
      mark.add(1);
    }
  };
  const open = (): Promise<void> => {
    if (closed) return Promise.reject(new CulpritError('closed', 'The storage is closed.'));
    opening ??= openWhole().finally(() => {
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
    commit: ({ operations }) =>
      use(async () => {
        // Chained: half the cost of a batch built from an array.
        const batch = db.batch();
        for (const operation of operations) {
          if (operation.type === 'del') batch.del(operation.key);
          else batch.put(operation.key, operation.value);
        }
        await batch.write({ sync: true });
        mark.add(operations.length);
        return {};
      }),
    recover: async () => {
      if (db.status === 'open') {
        await checkRoom(directory).catch((error) => {
          throw unavailable(directory, error);
        });
        opening ??= db
          .close()
          .then(openWhole)
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
      await mark.close();
    },
    damagedTables: async (pause) => {
      const found: string[] = [];
      for (const name of tables) {
        // A table that was compacted away since the start needs no check.
        const blocks = await damagedBlocks(join(directory, name)).catch(() => []);
        if (blocks === null || blocks.length > 0) found.push(name);
        await pause();
      }
      return found;
    },
  };
}

/** Rejects for a damaged store. One that another process changes meanwhile only looks damaged. */
async function inspectWhole(directory: string): Promise<Inspection> {
  const first = await inspect(directory).catch(() => null);
  if (first?.damage.length === 0) return first;
  const release = await holdStore(directory).catch((error) => {
    throw unavailable(directory, error);
  });
  const found = await inspect(directory).finally(release);
  if (found.damage.length > 0) throw damaged(directory, found.damage.join(', '));
  return found;
}

/** LevelDB creates files with 0644 less the process's umask, which only the programs of Culprit set. */
async function keepPrivate(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const name of await readdir(directory)) await chmod(join(directory, name), 0o600).catch(gone);
}

function gone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** What the store says of data that it lost, with the time. */
export function lossText(what: string): string {
  return `${new Date().toISOString()} ${what}`;
}

function damaged(directory: string, what: string, cause?: unknown): CulpritError {
  return new CulpritError(
    'storage_unavailable',
    `The storage in ${directory} is damaged: ${what}. Nothing was changed. Stop core and run: culprit store repair`,
    { cause, reason: 'damaged' },
  );
}

const HELD = 'held_by_another_process';

export function unavailable(directory: string, error: unknown): CulpritError {
  const causes = [error, (error as { cause?: unknown } | null)?.cause].filter(
    (part) => part instanceof Error,
  );
  if (causes.some((part) => 'code' in part && part.code === 'LEVEL_LOCKED')) {
    const detail = `Another process holds ${directory}. Stop it, or set STORAGE_URL=file:<dir> to another directory.`;
    return new CulpritError('storage_unavailable', detail, { cause: error, reason: HELD });
  }
  const detail = causes.map(({ message }) => message).at(-1) ?? 'unknown failure';
  if (causes.some((part) => 'code' in part && part.code === 'LEVEL_CORRUPTION'))
    return damaged(directory, detail, error);
  return new CulpritError(
    'storage_unavailable',
    `The storage in ${directory} failed: ${detail}. Check the disk's free space, permissions and health. Writes resume automatically.`,
    { cause: error },
  );
}

const PROBE_BYTES = 64 * 1024;

/**
 * Rejects while the disk lacks the space to reopen the database in `directory`, for which LevelDB rewrites its log as a
 * table. Checks the free space, and writes a little to detect quotas and faults.
 */
async function checkRoom(directory: string): Promise<void> {
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'));
  const sizes = await Promise.all(logs.map(async (name) => (await stat(join(directory, name))).size));
  const needed = sizes.reduce((sum, size) => sum + size, 2 * PROBE_BYTES);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < needed)
    throw new Error(`no space left on device (${needed} bytes are needed to continue)`);

  const path = join(directory, 'room.probe');
  const file = await openFile(path, 'w', 0o600);
  try {
    await file.writeFile(Buffer.alloc(PROBE_BYTES, 1));
    await file.datasync();
  } finally {
    await file.close();
    await unlink(path);
  }
}

/** Where a repair builds the new store, beside the old one. */
export const REPAIR_FOLDER = 'repairing';
/** The new store is complete. */
export const REPAIR_DONE = 'done';

/** Puts the new store in the place of the old one, also if the process that built it died in between. */
export async function finishRepair(own: string): Promise<void> {
  const directory = dirname(own);
  const work = join(directory, REPAIR_FOLDER);
  if (existsSync(own) || !existsSync(join(work, REPAIR_DONE))) return;
  await rename(join(work, 'store'), own);
  const handle = await openFile(directory, 'r');
  await handle.sync().finally(() => handle.close());
  await rm(work, { recursive: true, force: true });
}
