import { join } from 'node:path';
import { erasePersonFrom, sealWith } from '@culprit/connectors/storage';
import { PERSON_CHARS } from '@culprit/core/model';
import { knownAuditKey } from '../config/audit-key.js';
import { erasePersonFromSpool } from '../edge/spool/erase-person.js';
import { print } from '../log/terminal.js';
import { EXIT, usageError } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS, storageConfig, withStorage } from './storage-flags.js';

export const usage: CommandUsage = {
  forms: ['erase --user ID [flags]'],
  flags: {
    ...STORAGE_FLAGS,
    user: { value: 'ID', meaning: 'a user id, e-mail address or name, as in crashes or reviewer names' },
  },
  notes: [
    'Stop the edge first, and core if the storage is a file. Run it on each edge’s machine to erase its spool.',
    'Published issues that name the person are listed and not changed. Delete exports and backups of Redis yourself.',
  ],
};

export async function run(flags: ReadFlags): Promise<number> {
  const id = flags.text('user')?.trim() ?? '';
  if (id.length < PERSON_CHARS || flags.positionals.length > 0)
    throw usageError(`--user ID is missing or shorter than ${PERSON_CHARS} characters.`);
  const config = storageConfig(flags);
  const spool = await erasePersonFromSpool(join(config.dataDirectory, 'spool'), id);
  const stored = await withStorage(config, false, async (opened) => {
    const progress = progressOn(process.stderr, !flags.has('json'));
    const all = await opened.dump.count();
    const options = { id, now: () => new Date().toISOString(), seal: sealWith(knownAuditKey(config)) };
    const done = await erasePersonFrom(opened, options, (runs) => progress.at(runs, all));
    progress.end();
    return done;
  });
  const report = { ...stored, spool };
  if (flags.has('json')) printJson(report);
  else {
    const { issues, ...counts } = report;
    print(tableText(Object.entries(counts).map(([name, count]) => [name, String(count)])));
    for (const url of issues) print(`published, not changed: ${oneLine(url)}\n`);
  }
  return EXIT.done;
}
