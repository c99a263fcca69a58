import { copyFile, link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core/connector';

const TRIES = 20;

/**
 * Copies a LevelDB directory that another process is writing to, as of one moment. Tables never change, so they are linked
 * and take no space; the log and the list of tables are copied. If the list or the set of logs changed meanwhile, the copy
 * starts again. Opening the copy drops a partial record, as after a crash.
 */
export async function copyLive(directory: string, target: string): Promise<void> {
  for (let tried = 1; tried <= TRIES; tried++) {
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true, mode: 0o700 });
    try {
      if (await copyOnce(directory, target)) return;
    } catch (error) {
      // A table that was compacted away between listing and linking.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new CulpritError('storage_unavailable', `${directory} changes too fast to be copied. Try again.`);
}

async function copyOnce(directory: string, target: string): Promise<boolean> {
  const before = await stateOf(directory);
  for (const name of before.tables) await linkOrCopy(join(directory, name), join(target, name));
  for (const name of [before.manifest, ...before.logs])
    await copyFile(join(directory, name), join(target, name));
  await copyFile(join(directory, 'CURRENT'), join(target, 'CURRENT'));
  const after = await stateOf(directory);
  return (
    after.manifest === before.manifest &&
    after.manifestBytes === before.manifestBytes &&
    after.logs.join() === before.logs.join()
  );
}

async function stateOf(directory: string) {
  const manifest = (await readFile(join(directory, 'CURRENT'), 'utf8')).trim();
  const names = (await readdir(directory)).sort();
  return {
    manifest,
    manifestBytes: (await stat(join(directory, manifest))).size,
    logs: names.filter((name) => /^\d+\.log$/.test(name)),
    tables: names.filter((name) => /\.(ldb|sst)$/.test(name)),
  };
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw error;
    await copyFile(from, to);
  });
}
