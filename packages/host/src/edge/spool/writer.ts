import { type FileHandle, unlink } from 'node:fs/promises';
import { CulpritError, type Logger } from '@culprit/core';
import { appendDurably, createSegment, type Segment } from './segment.js';

/** Maximum bytes per write, except for a single larger record. */
const GROUP_BYTES = 4 * 1024 * 1024;

export interface Waiting {
  readonly sequence: number;
  /** The whole record. */
  readonly bytes: Buffer;
  /** Called once, when the bytes are no longer needed. */
  readonly leave: () => void;
}
interface Group {
  readonly records: readonly Waiting[];
  readonly kept: () => void;
  readonly refused: (error: CulpritError) => void;
}

export interface WriterParts {
  readonly directory: string;
  readonly segmentBytes: number;
  readonly logger: Logger;
  /** A new segment was started. */
  readonly begun: (segment: Segment) => void;
  /** A segment that could not be written was removed. */
  readonly dropped: (segment: Segment) => void;
  /** A segment has grown. */
  readonly grown: () => void;
}

export interface Writer {
  /** Resolves once all records are fsynced. Rejects with `overloaded` if none was stored. */
  append(records: readonly Waiting[]): Promise<void>;
  /** Bytes not yet written. */
  waitingBytes(): number;
  waitingRecords(): number;
  /** The last error of the disk; `null` while it works. */
  fault(): string | null;
  /** Makes the next append start a new segment. Returns false, and changes nothing, while a write is in progress. */
  rotate(): Promise<boolean>;
  close(): Promise<void>;
}

/** Group commit: appends that arrive during a write and its fdatasync share the next one. */
export function createWriter(parts: WriterParts): Writer {
  const queue: Group[] = [];
  let current: { segment: Segment; file: FileHandle } | null = null;
  let waitingBytes = 0;
  let waitingRecords = 0;
  let fault: string | null = null;
  let running: Promise<void> | null = null;

  const leave = async () => {
    const { file } = current ?? {};
    current = null;
    await file?.close().catch(() => {});
  };
  const target = async (first: number) => {
    if (current !== null && current.segment.bytes >= parts.segmentBytes) await leave();
    if (current === null) {
      current = await createSegment(parts.directory, first);
      parts.begun(current.segment);
    }
    return current;
  };
  const commit = async (groups: readonly Group[]) => {
    const records = groups.flatMap((group) => group.records);
    const first = records[0]?.sequence ?? 0;
    try {
      const { segment, file } = await target(first);
      await appendDurably(file, piecesOf(records), segment.bytes);
      segment.bytes += sizeOf(records);
      segment.records += records.length;
      segment.last = records.at(-1)?.sequence ?? segment.last;
      fault = null;
      for (const { kept } of groups) kept();
      parts.grown();
    } catch (error) {
      await fail(error, groups);
    }
  };
  /**
   * After a failed fdatasync the contents of the disk are unknown, so the partial bytes are removed and a new segment
   * follows.
   */
  const fail = async (error: unknown, groups: readonly Group[]) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (fault !== code) parts.logger.error({ error, code }, 'the spool is not writable; refusing deliveries');
    fault = code;
    if (current !== null) {
      const { segment, file } = current;
      await file.truncate(segment.bytes).catch(() => {});
      await leave();
      if (segment.bytes === 0) {
        await deleteSegment(segment).catch(() => {});
        parts.dropped(segment);
      }
    }
    const detail = `The spool is not writable (${code}). Free space on its disk. The delivery was not stored.`;
    for (const { refused } of groups) refused(new CulpritError('overloaded', detail));
  };
  const drain = async () => {
    while (queue.length > 0) {
      const groups: Group[] = [];
      let bytes = 0;
      while (queue[0] !== undefined && (groups.length === 0 || bytes < GROUP_BYTES)) {
        const group = queue.shift();
        if (group === undefined) break;
        groups.push(group);
        bytes += sizeOf(group.records);
      }
      await commit(groups);
      waitingBytes -= bytes;
      for (const { records } of groups) {
        waitingRecords -= records.length;
        for (const { leave } of records) leave();
      }
    }
  };
  const kick = () => {
    running ??= turnEnds()
      .then(drain)
      .finally(() => {
        running = null;
        if (queue.length > 0) kick();
      });
  };
  return {
    append: (records) =>
      new Promise((kept, refused) => {
        queue.push({ records, kept, refused });
        waitingBytes += sizeOf(records);
        waitingRecords += records.length;
        kick();
      }),
    waitingBytes: () => waitingBytes,
    waitingRecords: () => waitingRecords,
    fault: () => fault,
    async rotate() {
      if (running !== null) return false;
      await leave();
      return true;
    },
    async close() {
      await running;
      await leave();
    },
  };
}

/** Waits a moment, so that requests that arrived together share the first write. */
const turnEnds = () => new Promise<void>((resolve) => void setImmediate(resolve));

const sizeOf = (records: readonly Waiting[]) => records.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** The bytes of the records; adjacent ones as one piece. */
function piecesOf(records: readonly Waiting[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (const { bytes } of records) {
    const before = pieces.at(-1);
    const adjoins =
      before !== undefined &&
      before.buffer === bytes.buffer &&
      before.byteOffset + before.length === bytes.byteOffset;
    if (adjoins)
      pieces[pieces.length - 1] = Buffer.from(before.buffer, before.byteOffset, before.length + bytes.length);
    else pieces.push(bytes);
  }
  return pieces;
}

/** Removes a segment; one that no longer exists is fine. */
export async function deleteSegment(segment: Segment): Promise<void> {
  await unlink(segment.path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
}
