import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyLive } from './copy-live.js';

/** A copy of a store in files, for a program that must not change the store, not even its log. */
export interface StoreCopy {
  /** For `storage({ url })`. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Copies the store in `directory`, which another process may hold. Tables are linked and take no space. */
export async function copyStore(directory: string): Promise<StoreCopy> {
  const copy = join(directory, `copy-${process.pid}`);
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    await copyLive(join(directory, 'store'), join(copy, 'store'));
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: `file:${copy}`, remove };
}
