import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { createDirectory } from '../config/private-files.js';
import { type KeptUpload, type Upload, uploadSchema } from './upload.js';

/** How exactly the time of the last use is kept. */
const USE_STEP_MS = 60 * 60_000;

/**
 * The files of uploaded source maps. Several processes may share the folder: every file appears complete, by its final name,
 * and none is ever changed.
 *
 * - `uploads/ID.json`: one per upload. Its modification time is the upload's last use.
 * - `maps/SHA256`: the maps, each once.
 * - `chunks/SHA1`, `parts/`: uploads that are not finished.
 */
export interface MapDirectory {
  readonly uploads: string;
  readonly maps: string;
  readonly chunks: string;
  readonly parts: string;
}

export function mapDirectory(path: string): MapDirectory {
  const of = (name: string) => join(path, name);
  return { uploads: of('uploads'), maps: of('maps'), chunks: of('chunks'), parts: of('parts') };
}

/** Creates the folders. An installation without source maps has none. */
export function createMapDirectory(directory: MapDirectory): void {
  for (const folder of Object.values(directory)) createDirectory(folder);
}

/** A new name for a file that is not complete. */
export function partPath({ parts }: MapDirectory): string {
  return join(parts, randomBytes(12).toString('hex'));
}

/** Writes a file so that it is complete and fsynced when it appears. If that fails, nothing of it stays. */
export async function writeDurably(
  directory: MapDirectory,
  folder: string,
  name: string,
  content: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const part = partPath(directory);
  const file = await open(part, 'wx', 0o600);
  try {
    try {
      await content((piece) => file.writeFile(piece));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, join(folder, name)).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      // A sweep may have deleted the folder while it was empty.
      createDirectory(folder);
      await rename(part, join(folder, name));
    });
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Empty if the folder does not exist. */
export async function names(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Whether a file exists; if so, its age starts again. */
export async function touch(path: string, now: number): Promise<boolean> {
  try {
    await utimes(path, now / 1000, now / 1000);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export async function writeUpload(directory: MapDirectory, upload: Upload): Promise<void> {
  const name = `${upload.id}.json`;
  const text = Buffer.from(JSON.stringify(upload));
  await writeDurably(directory, directory.uploads, name, (write) => write(text));
  await touch(join(directory.uploads, name), Date.parse(upload.uploaded_at));
}

/** `null` if the file is gone, or not an upload that this version can read. */
export async function readUpload({ uploads }: MapDirectory, id: string): Promise<KeptUpload | null> {
  const path = join(uploads, `${id}.json`);
  try {
    const [text, { mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const parsed = v.safeParse(uploadSchema, JSON.parse(text));
    return parsed.success ? { ...parsed.output, used_at: mtime.toISOString() } : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The upload as last used at `now`, to the hour. */
export async function markUsed(
  { uploads }: MapDirectory,
  upload: KeptUpload,
  now: number,
): Promise<KeptUpload> {
  if (now - Date.parse(upload.used_at) < USE_STEP_MS) return upload;
  await touch(join(uploads, `${upload.id}.json`), now);
  return { ...upload, used_at: new Date(now).toISOString() };
}

export async function removeUpload({ uploads }: MapDirectory, id: string): Promise<void> {
  await rm(join(uploads, `${id}.json`), { force: true });
  await syncFolder(uploads);
}

/** Removes the files of a folder that are older than `before` and not wanted. */
export async function removeOld(
  folder: string,
  before: number,
  wanted: (name: string) => boolean = () => false,
): Promise<void> {
  for (const name of await names(folder)) {
    if (wanted(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < before) await rm(path, { force: true });
  }
}

/** The number of files of a folder, and their bytes. */
export async function folderSize(folder: string): Promise<{ files: number; bytes: number }> {
  const found = await names(folder);
  let bytes = 0;
  for (const name of found) bytes += (await stat(join(folder, name)).catch(() => null))?.size ?? 0;
  return { files: found.length, bytes };
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
