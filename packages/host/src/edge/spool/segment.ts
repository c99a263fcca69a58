import { type FileHandle, open, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quarantine } from './quarantine.js';
import { scanRecords, sequenceOf } from './record-bytes.js';

/** An append-only file of records. Only its first `bytes` bytes are fsynced; nothing beyond is read. */
export interface Segment {
  readonly path: string;
  /** Sequence number of the first record, also in the file name; `last` is one less while the segment is empty. */
  readonly first: number;
  last: number;
  bytes: number;
  records: number;
  /** When the whole segment was acknowledged, in milliseconds since 1970. */
  doneAt: number | null;
}

const NAME = /^(\d{16})\.seg$/;

function segmentPath(directory: string, first: number): string {
  return join(directory, `${String(first).padStart(16, '0')}.seg`);
}

/** Creates an empty segment whose directory entry is fsynced. */
export async function createSegment(
  directory: string,
  first: number,
): Promise<{ segment: Segment; file: FileHandle }> {
  const path = segmentPath(directory, first);
  const file = await open(path, 'wx', 0o600);
  try {
    await syncDirectory(directory);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { segment: { path, first, last: first - 1, bytes: 0, records: 0, doneAt: null }, file };
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes all pieces at `position` and waits for fdatasync. */
export async function appendDurably(
  file: FileHandle,
  pieces: readonly Buffer[],
  position: number,
): Promise<void> {
  let at = position;
  for (let rest = [...pieces]; rest.length > 0; ) {
    const { bytesWritten } = await file.writev(rest.slice(0, MAX_PIECES), at);
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
  await file.datasync();
}

/** The maximum of one call on Linux. */
const MAX_PIECES = 1_024;

/** The pieces left after this many bytes were written; nearly always whole pieces. */
function after(pieces: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  let index = 0;
  for (let piece = pieces[0]; piece !== undefined && piece.length <= left; piece = pieces[++index]) {
    left -= piece.length;
  }
  const rest = pieces.slice(index);
  if (left > 0 && rest[0] !== undefined) rest[0] = rest[0].subarray(left);
  return rest;
}

/**
 * Recovers the segments of an earlier process. Damaged parts are copied to the quarantine. An incomplete last write,
 * which was never acknowledged, is copied there and cut off.
 */
export async function recoverSegments(directory: string, quarantine: Quarantine): Promise<Segment[]> {
  const names = (await readdir(directory)).filter((name) => NAME.test(name)).sort();
  const segments: Segment[] = [];
  for (const name of names) segments.push(await recover(directory, name, quarantine));
  return segments;
}

async function recover(directory: string, name: string, quarantine: Quarantine): Promise<Segment> {
  const path = join(directory, name);
  const first = Number(NAME.exec(name)?.[1]);
  const { size, mtimeMs } = await stat(path);
  const bytes = await readRange(path, 0, size);
  const { stretches, end } = scanRecords(bytes);
  const segment: Segment = { path, first, last: first - 1, bytes: end, records: 0, doneAt: mtimeMs };
  for (const { start, end, payload } of stretches) {
    if (payload === null) await quarantine.keep('damaged', path, start, bytes.subarray(start, end));
    else {
      segment.last = Math.max(segment.last, sequenceOf(payload) ?? 0);
      segment.records++;
    }
  }
  if (end < bytes.length) {
    await quarantine.keep('torn', path, end, bytes.subarray(end));
    await truncate(path, end);
  }
  return segment;
}

export async function readRange(path: string, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const file = await open(path, 'r');
  try {
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  } finally {
    await file.close();
  }
}
