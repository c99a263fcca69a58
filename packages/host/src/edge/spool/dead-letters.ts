import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A delivery that core refused as invalid. It waits for an operator. */
export interface DeadLetter {
  readonly at: string;
  readonly sequence: number;
  readonly detail: string;
  /** The sanitised delivery, as it was sent. */
  readonly delivery: unknown;
}

export interface DeadLetters {
  count(): number;
  list(): Promise<readonly DeadLetter[]>;
  /** Durable when it resolves. */
  add(letters: readonly DeadLetter[]): Promise<void>;
}

/** One JSON object a line, beside the spool. A line that a crash cut short is left out. */
export async function openDeadLetters(directory: string): Promise<DeadLetters> {
  const path = join(directory, 'dead-letters.jsonl');
  const list = async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text.split('\n').flatMap(readLetter);
  };
  const known = new Set((await list()).map(({ sequence }) => sequence));
  return {
    count: () => known.size,
    list,
    async add(letters) {
      const fresh = letters.filter(({ sequence }) => !known.has(sequence));
      if (fresh.length === 0) return;
      const file = await open(path, 'a', 0o600);
      try {
        // The first newline ends a line that a crash may have cut short.
        await file.appendFile(`\n${fresh.map((letter) => JSON.stringify(letter)).join('\n')}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
      for (const { sequence } of fresh) known.add(sequence);
    },
  };
}

function readLetter(line: string): DeadLetter[] {
  try {
    const letter: unknown = JSON.parse(line);
    return typeof letter === 'object' && letter !== null && 'sequence' in letter
      ? [letter as DeadLetter]
      : [];
  } catch {
    return [];
  }
}
