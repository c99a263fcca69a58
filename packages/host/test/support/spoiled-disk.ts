import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../bench/faults/lib/folders.mjs';

/** Runs commands as root in sequence. Returns whether all succeeded. */
const asRoot = (...commands: readonly (readonly string[])[]): boolean =>
  commands.every(([name = '', ...args]) => spawnSync(name, args).status === 0);
const mountFull = (at: string) => asRoot(['mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', at]);
const mountImage = (image: string, at: string) => asRoot(['mount', '-o', 'loop', image, at]);
const unmount = (at: string) => asRoot(['umount', '-l', at]);

export interface Disk {
  /** Where it is mounted. */
  readonly at: string;
  /** Makes every write fail. Resolves once it does. */
  spoil(): void;
  mend(): void;
  remove(): void;
}

/** A small disk that becomes full. */
export function fullDisk(root: string): Disk {
  const at = join(root, 'full');
  mkdirSync(at);
  if (!mountFull(at)) throw new Error('no tmpfs');
  const ballast = join(at, 'ballast');
  return {
    at,
    spoil: () => {
      for (let size = 6 * 1024 * 1024; size >= 4096; size = Math.floor(size / 2)) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // Writes what fits.
        }
      }
    },
    mend: () => rmSync(ballast),
    remove: () => void unmount(at),
  };
}

/** A disk whose file system detects an error and becomes read-only, and is replaced by a copy. */
export function brokenDisk(root: string, name = 'broken'): Disk {
  const at = join(root, name);
  const image = join(root, 'image');
  mkdirSync(at);
  writeFileSync(image, Buffer.alloc(24 * 1024 * 1024));
  if (!asRoot(['mkfs.ext4', '-q', '-F', image]) || !mountImage(image, at)) throw new Error('no loop device');
  return {
    at,
    spoil: () => {
      if (!asRoot(['mount', '-o', 'remount,abort', at]))
        throw new Error('the file system could not be made to fail');
    },
    mend: () => {
      copyFileSync(image, `${image}.copy`);
      if (!unmount(at) || !mountImage(`${image}.copy`, at))
        throw new Error('the file system could not be replaced');
    },
    remove: () => void unmount(at),
  };
}

/** Tries to mount: root in a container may lack the permission. */
export async function whyNoDisk(make: (root: string) => Disk): Promise<string | false> {
  if (process.platform !== 'linux') return 'needs Linux, for a small file system';
  if (process.getuid?.() !== 0) return 'needs root, to mount a small file system';
  const root = mkdtempSync(join(tmpdir(), 'culprit-mount-'));
  try {
    const { spoil, remove } = make(root);
    spoil();
    remove();
    return false;
  } catch (error) {
    return `mounting is not permitted here, even to root: ${error instanceof Error ? error.message : error}`;
  } finally {
    await removeFolder(root);
  }
}
