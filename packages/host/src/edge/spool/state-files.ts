import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './segment.js';

const IDENTITY = 'identity';
const POSITION = 'acknowledged';

/** The edge's identity: random, created once, stored next to the spool. */
export async function loadIdentity(directory: string): Promise<string> {
  const known = (await readText(join(directory, IDENTITY)))?.trim();
  return known !== undefined && /^edge_[0-9a-f]{32}$/.test(known) ? known : renewIdentity(directory);
}

export async function renewIdentity(directory: string): Promise<string> {
  const identity = `edge_${randomBytes(16).toString('hex')}`;
  await replaceFile(directory, IDENTITY, `${identity}\n`, true);
  return identity;
}

/** The highest sequence number that core has acknowledged; 0 if unknown, which only means that more is sent again. */
export async function loadPosition(directory: string): Promise<number> {
  const position = Number((await readText(join(directory, POSITION)))?.trim() ?? 0);
  return Number.isSafeInteger(position) && position > 0 ? position : 0;
}

/** `durable` is required before segments are deleted: this file alone then prevents reusing numbers. */
export async function savePosition(directory: string, position: number, durable: boolean): Promise<void> {
  await replaceFile(directory, POSITION, `${position}\n`, durable);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes atomically, and fsyncs if `durable`. */
export async function replaceFile(
  directory: string,
  name: string,
  text: string | Buffer,
  durable: boolean,
): Promise<void> {
  const next = join(directory, `${name}.next`);
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(text);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, join(directory, name));
  if (durable) await syncDirectory(directory);
}

/** Writes and removes a small file. Returns `null`, or the disk's error. */
export async function writable(directory: string): Promise<string | null> {
  const path = join(directory, 'probe');
  try {
    await writeFile(path, Buffer.alloc(64 * 1024), { mode: 0o600, flush: true });
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
