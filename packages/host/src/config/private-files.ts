import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Creates a directory that only its owner can read, and its parents. Node's own `recursive` never returns where a parent
 * exists and the system still answers ENOENT, as below /proc.
 */
export function createDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * Creates a file that only its owner can read, complete and fsynced. An existing one is kept unless `replace`; of two
 * processes that start at once one creates it. True: it was written.
 */
export function createFile(path: string, text: string, replace = false): boolean {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    if (replace) renameSync(draft, path);
    else linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectory(dirname(path));
  return true;
}

/** @throws for a link, and for a file that others than this user and root can change. */
export function readOwnFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    const isOwn = found.uid === 0 || found.uid === process.geteuid?.();
    if (!found.isFile() || !isOwn || (found.mode & 0o022) !== 0) throw new Error(`${path} is not private.`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** LevelDB and git create files with the rights that the umask of their process leaves. */
export function createOnlyPrivateFiles(): void {
  process.umask(0o077);
}

/** What other users can read or change in the data directory, down to two levels. A directory that they cannot enter hides the rest. */
export function sharedFiles(directory: string, levels = 2): readonly string[] {
  if (levels === 0 || !isShared(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (!isShared(path)) return [];
    return lstatSync(path).isDirectory() ? [path, ...sharedFiles(path, levels - 1)] : [path];
  });
}

function isShared(path: string): boolean {
  if (!existsSync(path)) return false;
  const found = lstatSync(path);
  return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
}

/** Takes them from other users; only the owner may. Returns those that it could not change. */
export function makePrivate(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    try {
      chmodSync(path, lstatSync(path).mode & 0o700);
      return false;
    } catch {
      return existsSync(path);
    }
  });
}
