import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { bytesOf, maskedCrc, readLog, unsnappy } from './format.js';

export interface Inspection {
  /** What is damaged, as sentences without a full stop; none: LevelDB opens the store and finds everything. */
  readonly damage: readonly string[];
  /** LevelDB numbers every change. The last one in the store. */
  readonly sequence: number;
  /** The files of the tables in use; `null`: unknown. */
  readonly tables: readonly string[] | null;
}

const NEW: Inspection = { damage: [], sequence: 0, tables: [] };

/**
 * Looks for what LevelDB ignores when it opens a directory: damaged bytes in a log, whose changes it skips, and a missing
 * CURRENT, over which it creates a new store. Reads MANIFEST and logs, at most a few write buffers. Changes nothing.
 */
export async function inspect(directory: string): Promise<Inspection> {
  const names = await readdir(directory).catch(() => []);
  if (!names.some((name) => /^(?:CURRENT|MANIFEST-.*|\d+\.(?:log|ldb|sst))$/.test(name))) return NEW;
  const damage: string[] = [];
  const manifest = await readManifest(directory, names, damage);
  if (manifest === null) return { damage, sequence: 0, tables: null };
  for (const [number, size] of manifest.tables) {
    const name = tableName(names, number);
    const there = name === undefined ? null : (await stat(join(directory, name))).size;
    if (there === null) damage.push(`table ${number} is missing`);
    else if (there !== size) damage.push(`${name} has ${there} instead of ${size} bytes`);
  }
  let sequence = manifest.sequence;
  for (const name of names
    .filter((one) => logNumber(one) >= manifest.log)
    .sort((a, b) => logNumber(a) - logNumber(b))) {
    const { records, damaged } = readLog(await readFile(join(directory, name)));
    let missing = 0;
    for (const record of records) {
      if (record.length < 12) continue;
      const first = Number(record.readBigUInt64LE(0));
      missing += Math.max(0, first - sequence - 1);
      sequence = Math.max(sequence, first + record.readUInt32LE(8) - 1);
    }
    if (missing > 0) damage.push(`${missing} changes are missing from ${name}`);
    else if (damaged) damage.push(`${name} has damaged bytes`);
  }
  const tables = [...manifest.tables.keys()].flatMap((number) => tableName(names, number) ?? []);
  return { damage, sequence, tables };
}

function logNumber(name: string): number {
  return Number(/^(\d+)\.log$/.exec(name)?.[1] ?? -1);
}

function tableName(names: readonly string[], number: number): string | undefined {
  return names.find((name) => /\.(?:ldb|sst)$/.test(name) && Number.parseInt(name, 10) === number);
}

interface Manifest {
  /** Older logs are in tables. */
  readonly log: number;
  readonly sequence: number;
  /** Bytes by number. */
  readonly tables: ReadonlyMap<number, number>;
}

async function readManifest(
  directory: string,
  names: readonly string[],
  damage: string[],
): Promise<Manifest | null> {
  const current = await readFile(join(directory, 'CURRENT'), 'latin1').catch(() => null);
  const name = current === null ? undefined : names.find((one) => current === `${one}\n`);
  if (name === undefined) {
    damage.push(current === null ? 'CURRENT is missing' : 'CURRENT names no file');
    return null;
  }
  const { records, damaged } = readLog(await readFile(join(directory, name)));
  try {
    if (damaged || records.length === 0) throw new RangeError('damaged');
    return foldEdits(records);
  } catch {
    damage.push(`${name} is damaged`);
    return null;
  }
}

/** The edits of db/version_edit.cc, by tag. */
function foldEdits(records: readonly Buffer[]): Manifest {
  let log = 0;
  let sequence = 0;
  const tables = new Map<number, number>();
  for (const record of records) {
    const bytes = bytesOf(record);
    while (bytes.left) {
      const tag = bytes.varint();
      if (tag === 1) bytes.prefixed();
      else if (tag === 2) log = bytes.varint();
      else if (tag === 3 || tag === 9) bytes.varint();
      else if (tag === 4) sequence = bytes.varint();
      else if (tag === 5) {
        bytes.varint();
        bytes.prefixed();
      } else if (tag === 6) {
        bytes.varint();
        tables.delete(bytes.varint());
      } else if (tag === 7) {
        bytes.varint();
        tables.set(bytes.varint(), bytes.varint());
        bytes.prefixed();
        bytes.prefixed();
      } else throw new RangeError(`unknown tag ${tag}`);
    }
  }
  return { log, sequence, tables };
}

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
