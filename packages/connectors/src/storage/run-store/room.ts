import { open, readdir, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const PROBE_BYTES = 64 * 1024;

/**
 * Rejects while the disk lacks the space to reopen the database in `directory`, for which LevelDB rewrites its log as a
 * table. Checks the free space, and writes a little to detect quotas and faults.
 */
export async function checkRoom(directory: string): Promise<void> {
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'));
  const sizes = await Promise.all(logs.map(async (name) => (await stat(join(directory, name))).size));
  const needed = sizes.reduce((sum, size) => sum + size, 2 * PROBE_BYTES);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < needed)
    throw new Error(`no space left on device (${needed} bytes are needed to continue)`);

  const path = join(directory, 'room.probe');
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(Buffer.alloc(PROBE_BYTES, 1));
    await file.datasync();
  } finally {
    await file.close();
    await unlink(path);
  }
}
