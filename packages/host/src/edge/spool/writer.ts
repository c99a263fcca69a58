import { type FileHandle, unlink } from 'node:fs/promises';
import { CulpritError, type Logger } from '@culprit/core';
import { appendDurably, createSegment, type Segment } from './segment.js';

/** Bytes that one write takes at most, a single record aside. */
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
  /** A new segment has been begun. */
  readonly begun: (segment: Segment) => void;
  /** A segment that nothing could be written to is gone again. */
  readonly dropped: (segment: Segment) => void;
  /** A segment has grown. */
  readonly grown: () => void;
}

export interface Writer {
  /** Resolves when all records are on disk. Rejects with `overloaded`; then none of them is kept. */
  append(records: readonly Waiting[]): Promise<void>;
  /** Bytes that wait to be written. */
  waitingBytes(): number;
  waitingRecords(): number;
  /** What the disk last said; `null` while it works. */
  fault(): string | null;
  /** The next append begins a new segment. False: a write is under way, so nothing was changed. */
  rotate(): Promise<boolean>;
  close(): Promise<void>;
}

/** Group commit: while one write and its fdatasync run, appends gather; all of them share the next. */
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
  /** A failed fdatasync leaves unknown what the disk has, so the partial bytes go and a new segment follows. */
  const fail = async (error: unknown, groups: readonly Group[]) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (fault !== code)
      parts.logger.error({ error, code }, 'the spool cannot be written; deliveries are refused');
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
    const detail = `The spool cannot be written (${code}); make room on its disk. The delivery was not kept.`;
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

/** Requests that arrived together shall share the first write too: it would be one of a single record otherwise. */
const turnEnds = () => new Promise<void>((resolve) => void setImmediate(resolve));

const sizeOf = (records: readonly Waiting[]) => records.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** The records' bytes; those that lie next to each other in one piece. */
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

/** Forgets a segment. One that is gone already is as good. */
export async function deleteSegment(segment: Segment): Promise<void> {
  await unlink(segment.path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
}
