import { join } from 'node:path';
import { ApiError, createClient, type Erasure, erasureSettled } from '@culprit/client';
import { isCulpritError } from '@culprit/core';
import { PERSON_CHARS } from '@culprit/core/internal/pipeline/erase-person';
import type { Erased } from '@culprit/core/internal/ports/person-erasure';
import { erasePersonFrom } from '@culprit/core/internal/store/erase/walk';
import { erasePersonFromSpool } from '../edge/spool/erase-person.js';
import { print, printError } from '../log/terminal.js';
import { clientConfig, connect } from './client-flags.js';
import { confirmed } from './confirmed.js';
import { CommandFailure, EXIT, exitCodeOf, unknownWord, usageError } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS, storageConfig, withStorage } from './storage-flags.js';

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

/** What was found, or erased. */
interface Report extends Erased {
  /** Deliveries and dead letters of this machine's edge. */
  readonly spool: number;
  /** An edge uses the spool, which names the person: nothing of it was erased. */
  readonly spool_in_use?: true;
}

/** Erases one person: by a running core, or in a storage that the command opens. */
interface Eraser {
  count(): Promise<Report>;
  /** `unseen`: what was not counted before goes, too. */
  erase(unseen: boolean): Promise<Report>;
}

/** Lets a running core erase; `null` if none answers and `--url` does not name one. */
async function eraserOverCore(flags: ReadFlags, person: string): Promise<Eraser | null> {
  const { core, token, config } = clientConfig(flags);
  const api = createClient({ url: core.url, token });
  try {
    await api.with({ retries: 0 }).getSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 0 && flags.text('url') === null) return null;
    if (error.status === 401) throw refused(core.url);
    throw error;
  }
  const spool = join(config.dataDirectory, 'spool');
  let counted: Erasure | null = null;
  const settled = async ({ erasure_id }: Erasure): Promise<Erasure> => {
    const progress = progressOn(process.stderr, !flags.has('json'));
    const over = await erasureSettled(api, erasure_id, ({ looked_at, runs }) => progress.at(looked_at, runs));
    progress.end();
    if (over.state !== 'failed') return over;
    const code = over.error ?? 'internal';
    throw new CommandFailure(`The erasure failed: ${code}. Core’s log has details.`, exitCodeOf(code), code);
  };
  const count = async () => {
    counted = await settled(await api.countErasure({ person }));
    return counted;
  };
  return {
    count: async () => ({ ...(await count()).found, spool: await erasePersonFromSpool(spool, person, true) }),
    async erase(unseen) {
      let next = counted ?? (await count());
      do {
        next = await settled(
          await api.erasePerson({ erasure_id: next.erasure_id, person, digest: next.digest ?? '' }),
        );
      } while (next.state === 'changed' && unseen);
      if (next.state === 'changed') throw changed();
      return { ...next.found, ...(await eraseSpool(spool, person)) };
    },
  };
}

/** The spool of this machine's edge. */
async function eraseSpool(
  directory: string,
  person: string,
): Promise<Pick<Report, 'spool' | 'spool_in_use'>> {
  const counted = await erasePersonFromSpool(directory, person, true);
  if (counted === 0) return { spool: 0 };
  try {
    return { spool: await erasePersonFromSpool(directory, person) };
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    return { spool: counted, spool_in_use: true };
  }
}

function refused(url: string): CommandFailure {
  const text = `A core answers at ${url}, but refuses the token. Set CULPRIT_TOKEN for it, or pass --data or --storage for the storage of a stopped core.`;
  return new CommandFailure(text, EXIT.refused, 'unauthenticated');
}

function changed(): CommandFailure {
  const text = 'What names the person has changed since it was counted. Nothing was erased. Count again.';
  return new CommandFailure(text, EXIT.conflict, 'erasure_changed');
}

/** Opens the storage itself. */
function eraserOverStorage(flags: ReadFlags, person: string): Eraser {
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

/** The erasures of a running core, newest first. They do not say who was erased. */
async function listErasures(flags: ReadFlags): Promise<number> {
  const erasures = (await connect(flags).listErasures()).erasures;
  if (flags.has('json')) printJson({ erasures });
  else if (erasures.length === 0) print('No erasures.\n');
  else
    print(
      tableText(
        erasures.map(({ erasure_id, state, error, by, started_at, ended_at, found }) => [
          erasure_id,
          error === null ? state : `${state}: ${error}`,
          `by ${oneLine(by)}`,
          started_at,
          ended_at === null ? 'not ended' : `ended ${ended_at}`,
          `${found.runs} runs`,
          `${found.fields} texts`,
        ]),
      ),
    );
  return EXIT.done;
}
