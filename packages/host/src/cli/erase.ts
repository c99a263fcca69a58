import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Erased, erasePersonFrom, sealWith } from '@culprit/connectors/storage';
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
  forms: ['erase --user ID [--dry-run | --yes] [flags]'],
  flags: {
    ...STORAGE_FLAGS,
    user: { value: 'ID', meaning: 'a user id, e-mail address or name, as in crashes or reviewer names' },
    'dry-run': { meaning: 'count what would be erased, and change nothing; works while core and edge run' },
    yes: { meaning: 'erase without asking' },
  },
  notes: [
    'Counts first and asks. Stop the edge before you erase, and core if the storage is a file. Run it on each edge’s machine to erase its spool.',
    'Published issues that name the person are listed and not changed. Delete exports and backups of Redis yourself.',
  ],
};

/** Exit code 1 if the person at the terminal does not confirm. */
export async function run(flags: ReadFlags): Promise<number> {
  const id = flags.text('user')?.trim() ?? '';
  if (id.length < PERSON_CHARS || flags.positionals.length > 0)
    throw usageError(`--user ID is missing or shorter than ${PERSON_CHARS} characters.`);
  const dryRun = flags.has('dry-run');
  const asks = !dryRun && !flags.has('yes');
  if (asks && (flags.has('json') || !process.stdin.isTTY))
    throw usageError('Erasing cannot be undone. Count first with --dry-run, then erase with --yes.');
  if (dryRun || asks) report(flags, await erase(flags, id, true));
  if (dryRun) {
    if (!flags.has('json')) print('Nothing was changed (--dry-run).\n');
    return EXIT.done;
  }
  if (asks && !(await confirmed('Erase this, for good? Type yes: '))) {
    print('Nothing was changed.\n');
    return EXIT.failed;
  }
  report(flags, await erase(flags, id, false));
  if (!flags.has('json')) print('Erased. Delete exports and backups that name the person yourself.\n');
  return EXIT.done;
}

interface Report extends Erased {
  /** Deliveries and dead letters of this machine's edge. */
  readonly spool: number;
}

async function erase(flags: ReadFlags, id: string, dryRun: boolean): Promise<Report> {
  const config = storageConfig(flags);
  const spool = await erasePersonFromSpool(join(config.dataDirectory, 'spool'), id, dryRun);
  const stored = await withStorage(config, dryRun, async (opened) => {
    const progress = progressOn(process.stderr, !flags.has('json'));
    const all = await opened.dump.count();
    const seal = sealWith(knownAuditKey(config));
    const options = { id, now: () => new Date().toISOString(), seal, dryRun };
    const done = await erasePersonFrom(opened, options, (runs) => progress.at(runs, all));
    progress.end();
    return done;
  });
  return { ...stored, spool };
}

function report(flags: ReadFlags, found: Report): void {
  if (flags.has('json')) {
    printJson(found);
    return;
  }
  const { issues, ...counts } = found;
  print(tableText(Object.entries(counts).map(([name, count]) => [name, String(count)])));
  for (const url of issues) print(`published, not changed: ${oneLine(url)}\n`);
}

async function confirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}
