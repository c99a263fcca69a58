import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from '@culprit/core';

/** `damaged`: bytes that were records. `torn`: an incomplete write after a crash, never acknowledged to a sender. */
export type Damage = 'damaged' | 'torn';

/** Stores damaged bytes for an operator. Each position counts once. */
export interface Quarantine {
  keep(kind: Damage, segment: string, offset: number, bytes: Buffer): Promise<void>;
  counts(): Readonly<Record<Damage, number>>;
}

export async function openQuarantine(directory: string, logger: Logger): Promise<Quarantine> {
  const folder = join(directory, 'quarantine');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = new Set(await readdir(folder));
  return {
    async keep(kind, segment, offset, bytes) {
      const name = `${basename(segment, '.seg')}-${offset}.${kind}`;
      if (known.has(name)) return;
      known.add(name);
      logger.error(
        { kind, segment: basename(segment), offset, bytes: bytes.length },
        'spool bytes quarantined',
      );
      await writeFile(join(folder, name), bytes, { mode: 0o600 }).catch((error: unknown) => {
        logger.error({ error, name }, 'cannot write the quarantine');
      });
    },
    counts() {
      const counts = { damaged: 0, torn: 0 };
      for (const name of known) counts[name.endsWith('.torn') ? 'torn' : 'damaged']++;
      return counts;
    },
  };
}
