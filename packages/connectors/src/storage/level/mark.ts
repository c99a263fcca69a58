import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The number of the last change that was durable, in a file beside LevelDB's: a log that ends early looks to LevelDB like one that a
 * crash ended. The file is written after each batch and not synced, so it may be behind the store, but never ahead.
 */
export interface Mark {
  /** `sequence`: of the last change that the store has. Resolves with the number of changes that are missing at its end. */
  start(sequence: number): Promise<number>;
  /** A batch of so many changes is durable. */
  add(changes: number): void;
  close(): Promise<void>;
}

export function openMark(directory: string): Mark {
  const path = join(directory, 'written');
  let file: FileHandle | null = null;
  let reached = 0;
  let writing: Promise<void> | null = null;
  const write = async () => {
    for (let written = -1; written !== reached; ) {
      written = reached;
      file ??= await open(path, 'w', 0o600);
      await file.write(`${String(written).padStart(16, '0')}\n`, 0);
    }
  };
  const add = (changes: number) => {
    reached += changes;
    // A mark that cannot be written is behind, which is allowed.
    writing ??= write()
      .catch(() => {})
      .finally(() => {
        writing = null;
      });
  };
  return {
    async start(sequence) {
      await writing;
      const before = Number(await readFile(path, 'latin1').catch(() => 0));
      reached = sequence;
      return before > sequence ? before - sequence : 0;
    },
    add,
    async close() {
      await writing;
      await file?.close();
    },
  };
}
