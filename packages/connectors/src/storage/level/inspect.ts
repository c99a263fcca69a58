import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, readLog } from './log-file.js';

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
