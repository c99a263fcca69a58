import { join } from 'node:path';
import { erasePersonFrom, sealWith } from '@culprit/connectors/storage';
import { knownAuditKey } from '../config/generated-secrets.js';
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
      const all = await opened.dump.count();
      const seal = sealWith(knownAuditKey(config));
      const options = { id: person, now: () => new Date().toISOString(), seal, dryRun };
      const done = await erasePersonFrom(opened, options, (runs) => progress.at(runs, all));
      progress.end();
      return done;
    });
    return { ...stored, spool };
  };
  return { count: () => erase(true), erase: () => erase(false) };
}
