import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import type { Driver, KeyValue } from '@culprit/core/store';

/** What we use of `node:sqlite`, whose types Node.js 20 lacks. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: readonly (Uint8Array | string | number)[]): unknown;
    all(...values: readonly (Uint8Array | number)[]): readonly Readonly<Record<string, Uint8Array>>[];
  };
  close(): void;
}
interface Sqlite {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly?: boolean }) => Database;
}

const LIBRARY: string = 'node:sqlite';

async function loadSqlite(): Promise<Sqlite> {
  try {
    return (await import(LIBRARY)) as Sqlite;
  } catch (cause) {
    const detail = `SQLite storage needs Node.js 22.13 or later, and this is ${process.version}. Update Node.js, or set STORAGE_URL=file:<dir>.`;
    throw new CulpritError('connector_missing', detail, { cause });
  }
}

/** Storage in one file that one process owns. Each commit is one synced transaction, during which the process waits. */
export async function openSqlite(file: string): Promise<Driver> {
  const { DatabaseSync } = await loadSqlite();
  const inTurn = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw isCulpritError(error) ? error : unavailable(file, error);
    }
  };
  const { db, lock } = inTurn(() => open(DatabaseSync, file));
  let closed = false;
  const use = async <Result>(work: () => Result): Promise<Result> =>
    inTurn(() => {
      if (closed) throw new CulpritError('closed', 'The storage is closed.');
      return work();
    });
  const get = db.prepare('SELECT value FROM entries WHERE key = ?');
  const range = db.prepare('SELECT key, value FROM entries WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  const put = db.prepare('INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM entries WHERE key = ?');
  const store: KeyValue = {
    getMany: (keys) => use(() => keys.map((key) => textOf(get.all(bytesOf(key))[0]?.value))),
    entries: ({ gt, lt, limit }) =>
      use(() =>
        range
          .all(bytesOf(gt), bytesOf(lt), limit)
          .map(({ key, value }) => [textOf(key) ?? '', textOf(value) ?? '']),
      ),
    commit: ({ operations }) =>
      use(() => {
        db.exec('BEGIN IMMEDIATE');
        try {
          for (const operation of operations) {
            if (operation.type === 'del') remove.run(bytesOf(operation.key));
            else put.run(bytesOf(operation.key), bytesOf(operation.value));
          }
          db.exec('COMMIT');
        } catch (error) {
          rollBack(db);
          throw error;
        }
        return {};
      }),
    recover: () => use(() => rollBack(db)),
    close: async () => {
      if (closed) return;
      closed = true;
      db.close();
      lock.close();
    },
  };
  return {
    store,
    detail: `Durable in ${file}, used by this process only.`,
    compact: () => use(() => db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')),
  };
}

/** Bytes, because Node.js 22 ends a text of SQLite at its first NUL. */
function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Locks the store for this process with a second database, so that others can still read a copy of the first. */
function open(DatabaseSync: Sqlite['DatabaseSync'], file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (const path of [file, `${file}.lock`]) if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(`${file}.lock`);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    const db = new DatabaseSync(file);
    // A commit is on the disk when it resolves; deleted values are overwritten.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    db.exec('CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID');
    for (const path of ['-wal', '-shm']) if (existsSync(file + path)) chmodSync(file + path, 0o600);
    return { db, lock };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** After a failed commit SQLite may have ended the transaction by itself. */
function rollBack(db: Database): void {
  try {
    db.exec('ROLLBACK');
  } catch {}
}

const HELD = 'held_by_another_process';
const BUSY = 5;
const DAMAGED = new Set([11, 26]);

function unavailable(file: string, error: unknown): CulpritError {
  const code = (error as { errcode?: number } | null)?.errcode ?? 0;
  if ((code & 0xff) === BUSY) {
    const held = `Another process holds ${file}. Stop it, or set STORAGE_URL=sqlite:<file> to another file.`;
    return new CulpritError('storage_unavailable', held, { cause: error, reason: HELD });
  }
  const detail = error instanceof Error ? error.message : 'unknown failure';
  if (DAMAGED.has(code & 0xff)) return damaged(file, detail, error);
  const text = `The storage in ${file} failed: ${detail}. Check the disk's free space, permissions and health. Writes resume automatically.`;
  return new CulpritError('storage_unavailable', text, { cause: error });
}

function damaged(file: string, detail: string, cause?: unknown): CulpritError {
  const text = `The storage in ${file} is damaged: ${detail}. Nothing was changed. Restore a backup.`;
  return new CulpritError('storage_unavailable', text, { cause, reason: 'damaged' });
}

/** Copies the store as of one moment to a new file, while another process writes to it. */
export async function copySqlite(file: string, target: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite();
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    source.prepare('VACUUM INTO ?').run(target);
    chmodSync(target, 0o600);
  } catch (error) {
    rmSync(target, { force: true });
    throw unavailable(file, error);
  } finally {
    source.close();
  }
}
