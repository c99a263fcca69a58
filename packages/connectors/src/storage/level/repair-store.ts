import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CulpritError, type Logger } from '@culprit/core/connector';
import { keys } from '@culprit/core/internal/store/keys';
import { type Missing, mended, NOTHING_MISSING } from '@culprit/core/internal/store/transfer/mend';
import { importAll } from '@culprit/core/internal/store/transfer/transfer';
import { openStore } from '../open-store.js';
import { damagedBlocks, inspect } from './inspect.js';
import {
  finishRepair,
  levelKeyValue,
  lossText,
  REPAIR_DONE,
  REPAIR_FOLDER,
  unavailable,
} from './level-key-value.js';
import { holdStore, loadLevel } from './load-level.js';

/** What a repair has done. */
export interface StoreRepair {
  readonly runs: number;
  /** What was damaged in the files. */
  readonly damage: readonly string[];
  readonly missing: Readonly<Missing>;
  /** The damaged store, unchanged. */
  readonly backup: string;
}

/** The store to repair. */
export interface RepairOptions {
  /** The data directory. */
  readonly directory: string;
  readonly logger: Logger;
  /** Receives the number of runs so far. */
  readonly progress?: (runs: number) => void;
  readonly now?: () => Date;
}

/**
 * Replaces a file store by a new one with everything that is readable in it, and keeps the old one beside it. Rejects with
 * `storage_unavailable` while another process holds the store.
 */
export async function repairStore(options: RepairOptions): Promise<StoreRepair> {
  const { directory, logger, progress = () => {}, now = () => new Date() } = options;
  const own = join(directory, 'store');
  await finishRepair(own);
  if (!existsSync(own))
    throw new CulpritError('configuration', `There is no storage in ${directory}.`, { path: 'storageUrl' });
  const work = join(directory, REPAIR_FOLDER);
  const found = join(work, 'found');
  await rm(work, { recursive: true, force: true });
  await mkdir(found, { recursive: true, mode: 0o700 });
  const release = await holdStore(own).catch((error) => {
    throw unavailable(own, error);
  });
  try {
    const damage = await copyReadable(own, found);
    const missing = { ...NOTHING_MISSING };
    const source = await levelKeyValue(found, { asFound: true });
    const target = await openStore({ url: `file:${work}`, logger });
    const { runs } = await importAll(target, mended(source, missing), (_, done) => progress(done));
    await target.writer.write(async (tx) => tx.put(keys.loss, lossText(`repaired: ${damage.join(', ')}`)));
    await target.close();
    await source.close();
    const backup = join(directory, `store-damaged-${now().toISOString().replaceAll(':', '-')}`);
    await writeFile(join(work, REPAIR_DONE), '', { mode: 0o600, flush: true });
    await rename(own, backup);
    await finishRepair(own);
    return { runs, damage, missing, backup };
  } finally {
    await release();
    await rm(work, { recursive: true, force: true });
  }
}

/** What is damaged in the files of the store in this data directory. Reads all of them, and changes nothing. */
export async function storeDamage(directory: string): Promise<readonly string[]> {
  const own = join(directory, 'store');
  const { damage, tables } = await inspect(own);
  const blocks = await Promise.all((tables ?? []).map((name) => damagedBlocks(join(own, name))));
  return [...damage, ...blocks.flatMap((found, at) => describeBlocks(tables?.[at] ?? '', found) ?? [])];
}

function describeBlocks(table: string, blocks: readonly number[] | null): string | null {
  if (blocks === null) return `${table} is unreadable`;
  return blocks.length === 0 ? null : `${table} has ${blocks.length} damaged blocks`;
}

/** Copies a store so that LevelDB opens the copy, without its damaged blocks. Resolves with what is damaged. */
async function copyReadable(own: string, copy: string): Promise<readonly string[]> {
  const { damage, tables } = await inspect(own);
  const found = [...damage];
  let rebuild = tables === null || damage.some((one) => !one.includes('.log '));
  for (const name of await readdir(own)) {
    if (name === 'LOCK' || name === 'LOG' || name === 'LOG.old' || name === 'written' || name === 'lost')
      continue;
    const [from, to] = [join(own, name), join(copy, name)];
    if (!/\.(?:ldb|sst)$/.test(name)) {
      await copyFile(from, to);
      continue;
    }
    // Left by a compaction that did not end: its contents are in other tables.
    if (tables !== null && !tables.includes(name)) continue;
    const blocks = await damagedBlocks(from);
    const said = describeBlocks(name, blocks);
    if (said !== null) {
      rebuild = true;
      found.push(said);
    }
    if (blocks === null) continue;
    await copyFile(from, to);
    await makeUnreadable(to, blocks);
  }
  if (rebuild) {
    const { ClassicLevel } = await loadLevel();
    await ClassicLevel.repair(copy);
  }
  return found;
}

/** No type of blocks has this number, so LevelDB leaves the block out. */
const NO_TYPE = Buffer.from([0x7f]);

async function makeUnreadable(table: string, blocks: readonly number[]): Promise<void> {
  if (blocks.length === 0) return;
  const file = await open(table, 'r+');
  for (const offset of blocks) await file.write(NO_TYPE, 0, 1, offset);
  await file.close();
}
