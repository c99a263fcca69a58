import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderSize, type MapDirectory, names, removeOld } from './directory.js';

/** The credential that sends chunks. It has a folder and a share of its own, and its chunks end with it. */
export interface ChunkOwner {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** In ms since 1970; `null`: never. */
  readonly expiresAt: number | null;
}

const MARK = '@';
const isOwned = (name: string) => name.startsWith(MARK);

function nameOf({ id, expiresAt }: ChunkOwner): string {
  return `${MARK}${id}${expiresAt === null ? '' : `~${expiresAt}`}`;
}

/** The folders as one owner sees them. Without one: those of nobody, as of older versions and of commands. */
export function foldersOf(directory: MapDirectory, owner: ChunkOwner | undefined): MapDirectory {
  return owner === undefined ? directory : { ...directory, chunks: join(directory.chunks, nameOf(owner)) };
}

/** Files and bytes of all chunks together. */
export async function allChunks({ chunks }: MapDirectory): Promise<{ files: number; bytes: number }> {
  const owned = (await names(chunks)).filter(isOwned).map((name) => join(chunks, name));
  const sizes = await Promise.all([chunks, ...owned].map(folderSize));
  return {
    files: sizes.reduce((sum, { files }) => sum + files, -owned.length),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Deletes the chunks of a credential that was revoked. */
export async function dropChunks({ chunks }: MapDirectory, id: string): Promise<void> {
  const own = (await names(chunks)).filter((name) => name === MARK + id || name.startsWith(`${MARK}${id}~`));
  for (const name of own) await rm(join(chunks, name), { recursive: true, force: true });
}

/** Deletes the chunks of credentials that have expired, and those not used since `before`. */
export async function sweepChunks({ chunks }: MapDirectory, now: number, before: number): Promise<void> {
  await removeOld(chunks, before, isOwned);
  for (const name of (await names(chunks)).filter(isOwned)) {
    const folder = join(chunks, name);
    const [, expiry] = name.split('~');
    if (expiry !== undefined && Number(expiry) <= now) await rm(folder, { recursive: true, force: true });
    else await removeOld(folder, before);
    // Only an empty folder is deleted.
    await rmdir(folder).catch(() => {});
  }
}
