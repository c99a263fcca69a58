import { link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core/connector';

/** A native library, loaded only when a file store is opened. */
export async function loadLevel(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level');
  } catch (cause) {
    const fix = 'npm install classic-level, without --omit=optional, on a supported platform';
    throw new CulpritError('connector_missing', `File storage needs classic-level: ${fix}`, { cause });
  }
}

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
