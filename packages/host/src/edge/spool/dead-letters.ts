import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { mutex } from '@culprit/core/internal/resilience/mutex';
import type { DeadLetterSummary } from '../operator/commands.js';
import { replaceFile } from './state-files.js';

/** A delivery that core rejected as invalid. An operator resends or drops it. */
export interface DeadLetter {
  /** When core rejected it, ISO 8601. */
  readonly at: string;
  readonly sequence: number;
  readonly detail: string;
  /** The sanitised delivery as sent. */
  readonly delivery: Delivery;
}

export interface DeadLetters {
  count(): number;
  bytes(): number;
  /** Whether no more are accepted until an operator resends or drops some. */
  full(): boolean;
  has(sequence: number): boolean;
  /** The highest sequence number; 0 if there are none. */
  highest(): number;
  /** Oldest first. */
  summaries(): readonly DeadLetterSummary[];
  get(sequence: number): Promise<DeadLetter | null>;
  list(): Promise<readonly DeadLetter[]>;
  /** Resolves once they are fsynced. Known letters are not changed. */
  add(letters: readonly DeadLetter[]): Promise<void>;
  /** Resolves once it is fsynced, with the number of letters removed. */
  remove(sequences: readonly number[]): Promise<number>;
}

const FILE = 'dead-letters.jsonl';
/** Bounds memory and disk. At the limit, forwarding stops and nothing is lost. */
const MAX = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The file is compacted once it holds more removed than current letters, and more than this many. */
const WASTE_BYTES = 1024 * 1024;

interface Entry {
  readonly offset: number;
  readonly length: number;
  readonly summary: DeadLetterSummary;
}

/**
 * One JSON object per line, next to the spool: a letter, or `{"removed":[…]}`. An incomplete line is skipped. Only
 * numbers, positions and summaries are in memory.
 */
export async function openDeadLetters(directory: string): Promise<DeadLetters> {
  const path = join(directory, FILE);
  const inTurn = mutex();
  let entries = new Map<number, Entry>();
  let size = 0;
  let live = 0;

  const load = async () => {
    const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    size = file.length;
    entries = indexOf(file);
    live = [...entries.values()].reduce((sum, { length }) => sum + length, 0);
  };
  const lineAt = async (file: FileHandle, { offset, length }: Entry) =>
    (await file.read(Buffer.alloc(length), 0, length, offset)).buffer;
  const appendLines = async (lines: readonly string[]) => {
    const file = await open(path, 'a', 0o600);
    try {
      // The newline ends a line that a crash may have left incomplete.
      const text = Buffer.from(`\n${lines.join('\n')}\n`);
      await file.appendFile(text);
      await file.datasync();
      const from = size + 1;
      size += text.length;
      return from;
    } finally {
      await file.close();
    }
  };
  const compact = async () => {
    if (size - live < Math.max(WASTE_BYTES, live)) return;
    const lines = await eachLine(async (file, entry) => String(await lineAt(file, entry)));
    await replaceFile(directory, FILE, lines.map((line) => `${line}\n`).join(''), true);
    await load();
  };
  const eachLine = async <T>(read: (file: FileHandle, entry: Entry) => Promise<T>): Promise<T[]> => {
    if (entries.size === 0) return [];
    const file = await open(path, 'r');
    try {
      const found: T[] = [];
      for (const entry of entries.values()) found.push(await read(file, entry));
      return found;
    } finally {
      await file.close();
    }
  };
  const read = async (file: FileHandle, entry: Entry) =>
    JSON.parse(String(await lineAt(file, entry))) as DeadLetter;

  await load();
  return {
    count: () => entries.size,
    bytes: () => live,
    full: () => entries.size >= MAX || live >= MAX_BYTES,
    has: (sequence) => entries.has(sequence),
    highest: () => Math.max(0, ...entries.keys()),
    summaries: () => [...entries.values()].map(({ summary }) => summary),
    get: (sequence) =>
      inTurn(async () => {
        const entry = entries.get(sequence);
        if (entry === undefined) return null;
        const file = await open(path, 'r');
        return read(file, entry).finally(() => file.close());
      }),
    list: () => inTurn(() => eachLine(read)),
    add: (letters) =>
      inTurn(async () => {
        const fresh = letters.filter(({ sequence }) => !entries.has(sequence));
        if (fresh.length === 0) return;
        const lines = fresh.map((letter) => JSON.stringify(letter));
        let offset = await appendLines(lines);
        for (const [index, letter] of fresh.entries()) {
          const length = Buffer.byteLength(lines[index] ?? '');
          entries.set(letter.sequence, { offset, length, summary: summaryOf(letter) });
          offset += length + 1;
          live += length;
        }
      }),
    remove: (sequences) =>
      inTurn(async () => {
        const removed = sequences.filter((sequence) => entries.has(sequence));
        if (removed.length === 0) return 0;
        await appendLines([JSON.stringify({ removed })]);
        for (const sequence of removed) {
          live -= entries.get(sequence)?.length ?? 0;
          entries.delete(sequence);
        }
        await compact();
        return removed.length;
      }),
  };
}

function indexOf(file: Buffer): Map<number, Entry> {
  const entries = new Map<number, Entry>();
  for (let offset = 0; offset < file.length; ) {
    const newline = file.indexOf(10, offset);
    const end = newline === -1 ? file.length : newline;
    const line = readLine(file.toString('utf8', offset, end));
    if (line !== null && 'removed' in line) for (const sequence of line.removed) entries.delete(sequence);
    else if (line !== null) {
      entries.set(line.sequence, { offset, length: end - offset, summary: summaryOf(line) });
    }
    offset = end + 1;
  }
  return entries;
}

function readLine(text: string): DeadLetter | { readonly removed: readonly number[] } | null {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null) return null;
    if ('removed' in line && Array.isArray(line.removed)) return { removed: line.removed };
    return 'sequence' in line && 'delivery' in line ? (line as DeadLetter) : null;
  } catch {
    return null;
  }
}

function summaryOf({ sequence, at, detail, delivery }: DeadLetter): DeadLetterSummary {
  const { event_id, project, door } = delivery;
  return { sequence, at, event_id, project, door, detail: detail.slice(0, 300) };
}
