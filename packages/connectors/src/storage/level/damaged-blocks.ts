import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { maskedCrc } from './crc32c.js';
import { bytesOf } from './log-file.js';
import { unsnappy } from './snappy.js';

const FOOTER = 48;
/** Blocks of 4 KiB between two turns of the event loop. */
const AT_ONCE = 256;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');

/** A stretch of a table's file. */
interface Block {
  readonly offset: number;
  readonly size: number;
}

/**
 * The damaged blocks of a table (table/format.cc), each by the offset of its type byte; `null`: its index cannot be read. LevelDB
 * itself reads blocks without comparing their checksums, because classic-level does not ask for it.
 */
export async function damagedBlocks(path: string): Promise<readonly number[] | null> {
  const bytes = await readFile(path);
  try {
    const footer = bytes.subarray(-FOOTER);
    if (!footer.subarray(-MAGIC.length).equals(MAGIC)) return null;
    const handles = bytesOf(footer);
    const meta: Block = { offset: handles.varint(), size: handles.varint() };
    const index: Block = { offset: handles.varint(), size: handles.varint() };
    if (!isWhole(bytes, index)) return null;
    const damaged: number[] = [];
    for (const [at, block] of [...valuesOf(contentOf(bytes, index)).map(blockOf), meta].entries()) {
      if (!isWhole(bytes, block)) damaged.push(block.offset + block.size);
      if (at % AT_ONCE === 0) await setImmediate();
    }
    return damaged;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isWhole(bytes: Buffer, { offset, size }: Block): boolean {
  const end = offset + size + 1;
  return end + 4 <= bytes.length && maskedCrc(bytes, offset, end) === bytes.readUInt32LE(end);
}

function contentOf(bytes: Buffer, { offset, size }: Block): Buffer {
  const content = bytes.subarray(offset, offset + size);
  return bytes[offset + size] === 1 ? unsnappy(content) : content;
}

function blockOf(handle: Buffer): Block {
  const bytes = bytesOf(handle);
  return { offset: bytes.varint(), size: bytes.varint() };
}

/** The values of a block's entries, whose keys share prefixes (table/block_builder.cc). */
function valuesOf(block: Buffer): Buffer[] {
  const restarts = block.readUInt32LE(block.length - 4);
  const bytes = bytesOf(block.subarray(0, block.length - 4 * (restarts + 1)));
  const values: Buffer[] = [];
  while (bytes.left) {
    bytes.varint();
    const key = bytes.varint();
    const value = bytes.varint();
    bytes.take(key);
    values.push(bytes.take(value));
  }
  return values;
}
