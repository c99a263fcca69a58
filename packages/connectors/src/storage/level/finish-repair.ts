import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where a repair builds the new store, beside the old one. */
export const REPAIR_FOLDER = 'repairing';
/** The new store is complete. */
export const REPAIR_DONE = 'done';

/** Puts the new store in the place of the old one, also if the process that built it died in between. */
export async function finishRepair(own: string): Promise<void> {
  const directory = dirname(own);
  const work = join(directory, REPAIR_FOLDER);
  if (existsSync(own) || !existsSync(join(work, REPAIR_DONE))) return;
  await rename(join(work, 'store'), own);
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
  await rm(work, { recursive: true, force: true });
}
