import { createInterface } from 'node:readline/promises';
import { PERSON_CHARS } from '@culprit/core/internal/pipeline/erase-person';
import { print, printError } from '../log/terminal.js';
import { eraserOverCore } from './erase-over-core.js';
import { eraserOverStorage } from './erase-over-storage.js';
import type { Eraser, Report } from './eraser.js';
import { listErasures } from './erasures-list.js';
import { EXIT, unknownWord, usageError } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS } from './storage-flags.js';

export const usage: CommandUsage = {
  forms: ['erase --user ID [--dry-run | --yes] [flags]', 'erase list [flags]'],
  flags: {
    user: { value: 'ID', meaning: 'a user id, e-mail address or name, as in crashes or reviewer names' },
    'dry-run': { meaning: 'count what would be erased, and change nothing; works while core and edge run' },
    yes: { meaning: 'erase without asking' },
    url: {
      value: 'URL',
      meaning: 'core, which erases while it runs (CULPRIT_URL; default: from the configuration)',
    },
    token: {
      value: 'TOKEN',
      meaning: 'a token with the scope operate. Prefer CULPRIT_TOKEN: process lists show flags.',
    },
    ...STORAGE_FLAGS,
  },
  notes: [
    'Counts first and asks. A running core erases in the background. Without one, or with --storage or --data, the command opens the storage itself: core must then be stopped if the storage is a file. Stop the edge and run it on each edge’s machine to erase its spool.',
    'list: the latest erasures of a running core. They do not say who was erased.',
    'Published issues that name the person are listed and not changed. Delete exports and backups of Redis yourself.',
  ],
};

/** Exit code 1 if the person at the terminal does not confirm, or if an edge uses a spool that names the person. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) return otherForm(flags);
  const person = flags.text('user')?.trim() ?? '';
  if (person.length < PERSON_CHARS)
    throw usageError(`--user ID is missing or shorter than ${PERSON_CHARS} characters.`);
  const dryRun = flags.has('dry-run');
  const asks = !dryRun && !flags.has('yes');
  if (asks && (flags.has('json') || !process.stdin.isTTY))
    throw usageError('Erasing cannot be undone. Count first with --dry-run, then erase with --yes.');
  const eraser = await eraserOf(flags, person);
  if (dryRun || asks) tell(flags, await eraser.count());
  if (dryRun) {
    if (!flags.has('json')) print('Nothing was changed (--dry-run).\n');
    return EXIT.done;
  }
  if (asks && !(await confirmed('Erase this, for good? Type yes: '))) {
    print('Nothing was changed.\n');
    return EXIT.failed;
  }
  const report = await eraser.erase(!asks);
  tell(flags, report);
  if (report.spool_in_use === true) {
    printError('culprit: an edge uses the spool of this machine. Stop the edge, and repeat the command.\n');
    return EXIT.failed;
  }
  if (!flags.has('json')) print('Erased. Delete exports and backups that name the person yourself.\n');
  return EXIT.done;
}

async function otherForm(flags: ReadFlags): Promise<number> {
  const [verb = '', ...rest] = flags.positionals;
  if (verb !== 'list') throw unknownWord('subcommand', verb, ['list']);
  if (rest.length > 0) throw usageError('Too many arguments.');
  const given = ['user', 'storage'].find((name) => flags.text(name) !== null);
  const flag = given ?? ['dry-run', 'yes'].find((name) => flags.has(name));
  if (flag !== undefined) throw usageError(`list asks a running core, and takes no --${flag}.`);
  return listErasures(flags);
}

/** `--storage` and `--data` name a storage to open; without them a running core is asked. */
async function eraserOf(flags: ReadFlags, person: string): Promise<Eraser> {
  const named = flags.text('storage') !== null || flags.text('data') !== null;
  if (named && flags.text('url') !== null)
    throw usageError('--url names a running core, --storage and --data a storage. Pass one of them.');
  const overCore = named ? null : await eraserOverCore(flags, person);
  return overCore ?? eraserOverStorage(flags, person);
}

function tell(flags: ReadFlags, found: Report): void {
  if (flags.has('json')) {
    printJson(found);
    return;
  }
  const { issues, spool_in_use: _, ...counts } = found;
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
