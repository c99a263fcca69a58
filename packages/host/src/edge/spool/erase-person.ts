import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deliverySchema } from '@culprit/core/internal/domain/delivery';
import { eraseTyped } from '@culprit/core/internal/pipeline/erase-person';
import * as v from 'valibot';
import { lockSpool } from './lock.js';
import { encodeRecord, scanRecords } from './record-bytes.js';
import { replaceFile } from './state-files.js';

/**
 * Erases a person from the deliveries and dead letters of a spool. Rejects while an edge uses the spool. `dryRun`: only counts,
 * also while an edge uses it.
 */
export async function erasePersonFromSpool(directory: string, id: string, dryRun = false): Promise<number> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return 0;
  const unlock = dryRun ? async () => {} : await lockSpool(directory);
  try {
    let erased = 0;
    for (const name of names) {
      if (name.endsWith('.seg')) erased += await eraseSegment(directory, name, id, dryRun);
      if (name === 'dead-letters.jsonl') erased += await eraseLines(directory, name, id, dryRun);
    }
    return erased;
  } finally {
    await unlock();
  }
}

async function eraseSegment(directory: string, name: string, id: string, dryRun: boolean): Promise<number> {
  const bytes = await readFile(join(directory, name));
  let erased = 0;
  const { stretches, end } = scanRecords(bytes);
  const parts = stretches.map(({ start, end: until, payload }) => {
    const text = payload === null ? null : without(payload.toString('utf8'), id);
    if (text === null) return bytes.subarray(start, until);
    erased += 1;
    return encodeRecord(Buffer.from(text));
  });
  if (erased > 0 && !dryRun)
    await replaceFile(directory, name, Buffer.concat([...parts, bytes.subarray(end)]), true);
  return erased;
}

async function eraseLines(directory: string, name: string, id: string, dryRun: boolean): Promise<number> {
  let erased = 0;
  const lines = (await readFile(join(directory, name), 'utf8')).split('\n').map((line) => {
    const text = line === '' ? null : without(line, id);
    if (text === null) return line;
    erased += 1;
    return text;
  });
  if (erased > 0 && !dryRun) await replaceFile(directory, name, lines.join('\n'), true);
  return erased;
}

/** A delivery, or a dead letter with one. */
const STORED = v.object({ ...deliverySchema.entries, delivery: deliverySchema });

/** The JSON without the person; `null` if it does not name them or is invalid. */
function without(json: string, id: string): string | null {
  try {
    const { value, places } = eraseTyped(JSON.parse(json) as unknown, id, STORED);
    return places > 0 ? JSON.stringify(value) : null;
  } catch {
    return null;
  }
}
