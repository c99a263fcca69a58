import { join } from 'node:path';
import { erasePersonFrom } from '@culprit/core/internal/store/erase/walk';
import { erasePersonFromSpool } from '../edge/spool/erase-person.js';
import type { Eraser, Report } from './eraser.js';
import { progressOn } from './progress.js';
import type { ReadFlags } from './read-flags.js';
import { storageConfig, withStorage } from './storage-flags.js';

/** Opens the storage itself. */
export function eraserOverStorage(flags: ReadFlags, person: string): Eraser {
  const config = storageConfig(flags);
  const erase = async (dryRun: boolean): Promise<Report> => {
    const spool = await erasePersonFromSpool(join(config.dataDirectory, 'spool'), person, dryRun);
    const stored = await withStorage(config, dryRun, async (opened) => {
      const progress = progressOn(process.stderr, !flags.has('json'));
      const done = await erasePersonFrom(opened, { person, dryRun }, progress.at);
      progress.end();
      return done;
    });
    return { ...stored, spool };
  };
  return { count: () => erase(true), erase: () => erase(false) };
}
