import { link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadLevel } from '../run-store/load-level.js';

/**
 * Keeps other processes from opening a store, without opening it, which would change it: opens another database, whose lock file is the
 * same. Rejects with LevelDB's `LEVEL_LOCKED` while another process has it open. Resolves with what releases it.
 */
export async function holdStore(own: string): Promise<() => Promise<void>> {
  const place = `${own}-lock-${process.pid}`;
  const release = () => rm(place, { recursive: true, force: true });
  await release();
  await mkdir(place, { mode: 0o700 });
  try {
    const lock = join(own, 'LOCK');
    await open(lock, 'a', 0o600).then((file) => file.close());
    await link(lock, join(place, 'LOCK'));
    const { ClassicLevel } = await loadLevel();
    const held = new ClassicLevel(place);
    await held.open();
    return () => held.close().then(release);
  } catch (error) {
    await release();
    throw error;
  }
}
