import { type OpenStore, repairStore, type StoreRepair } from '@culprit/connectors/storage';
import { silentLogger } from '@culprit/core';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { SCHEMA } from '@culprit/core/internal/store/open-store';
import {
  checkEmpty,
  countRunIds,
  everything,
  importAll,
} from '@culprit/core/internal/store/transfer/transfer';
import type { Config } from '../config/config.js';
import { createOnlyPrivateFiles } from '../config/private-files.js';
import { print } from '../log/terminal.js';
import { EXIT, usageError } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS, storageConfig, withStorage } from './storage-flags.js';
import { type Exported, exportTo, importFrom } from './store-file.js';

export const usage: CommandUsage = {
  forms: [
    'store info [flags]',
    'store export FILE [--force] [flags]',
    'store import FILE [--install-key FILE] [flags]',
    'store migrate --to URL [flags]',
    'store compact [flags]',
    'store repair [flags]',
  ],
  flags: {
    ...STORAGE_FLAGS,
    force: { meaning: 'export: replace the files if they exist' },
    'install-key': {
      value: 'FILE',
      meaning: 'import: the key file that the export wrote; default: FILE.key',
    },
    'new-install-key': {
      meaning:
        'import: continue without it; issues that were published since the export may be published twice',
    },
    to: { value: 'URL', meaning: 'an empty storage to migrate to: file:<dir>, sqlite:<file> or redis://…' },
  },
  notes: [
    'info and export work while core runs. Stop core before import, before migrate, and before compact or repair of a file. An export contains no secrets and ends with its digest. The key by which Culprit recognises its own issues is written to FILE.key: store it with your secrets, because import needs it. audit.key and secrets.json are not exported.',
  ],
};

export async function run(flags: ReadFlags): Promise<number> {
  const [verb, file, ...rest] = flags.positionals;
  const needsFile = verb === 'export' || verb === 'import';
  if (rest.length > 0 || needsFile !== (file !== undefined)) throw usageError('Run `culprit store --help`.');
  const config = storageConfig(flags);
  switch (verb) {
    case 'info':
      return withStorage(config, true, (opened) => info(opened, flags));
    case 'export':
      return withStorage(config, true, (opened) =>
        exportTo(opened, file ?? '', flags).then((done) => reportExport(flags, done)),
      );
    case 'import':
      return withStorage(config, false, async (opened) => {
        const done = await importFrom(opened, file ?? '', flags);
        return report(flags, done, `Imported ${done.runs} runs.`);
      });
    case 'migrate':
      return withStorage(config, false, (opened) => migrate(opened, flags));
    case 'compact':
      return withStorage(config, false, async (opened) => {
        const progress = progressOn(process.stderr, !flags.has('json'));
        const indexed = await opened.indexRuns();
        await opened.compact(progress.at);
        progress.end();
        const also = indexed === 0 ? '' : ` ${indexed} runs were indexed for searches.`;
        return report(flags, { status: 'compacted', indexed }, `Storage compacted.${also}`);
      });
    case 'repair':
      return repair(config, flags);
    default:
      throw usageError('Use culprit store info, export, import, migrate, compact or repair.');
  }
}

/** The storage is not opened as the others do, which refuse a damaged one. */
async function repair({ storageUrl }: Config, flags: ReadFlags): Promise<number> {
  if (!storageUrl.startsWith('file:')) throw usageError('Only a storage in files can be repaired.');
  createOnlyPrivateFiles();
  const progress = progressOn(process.stderr, !flags.has('json'));
  const directory = storageUrl.slice('file:'.length);
  const options = { directory, logger: silentLogger, progress: (runs: number) => progress.at(runs, runs) };
  const done = await repairStore(options).finally(progress.end);
  return report(flags, done, repairText(done));
}

function repairText({ runs, damage, missing, backup }: StoreRepair): string {
  const { records, events, analyses, history, occurrences, edges } = missing;
  const lines = [
    ...damage.map((one) => `Damaged: ${oneLine(one)}.`),
    `Repaired: ${runs} runs are in the new storage.`,
    ...(records > 0 ? [`${records} records could not be read or belong to no run.`] : []),
    ...(events > 0 ? [`${events} runs lost their latest event.`] : []),
    ...(analyses > 0 ? [`${analyses} runs lost their analysis and draft: return them to Gate 1.`] : []),
    ...(history > 0 ? [`${history} entries of histories are lost.`] : []),
    ...(occurrences > 0 ? [`${occurrences} crashes are counted, but not listed.`] : []),
    `${edges} edges will be asked to send again what they still have, when core starts.`,
    `The damaged storage is kept in ${oneLine(backup)}. Delete it when you no longer need it.`,
  ];
  return lines.join('\n');
}

function report(flags: ReadFlags, value: object, text: string): number {
  if (flags.has('json')) printJson(value);
  else print(`${text}\n`);
  return EXIT.done;
}

function reportExport(flags: ReadFlags, done: Exported): number {
  const key =
    done.install_key === null
      ? ''
      : ` Import also needs ${oneLine(done.install_key)}: store it with your secrets.`;
  return report(flags, done, `Exported ${done.runs} runs to ${oneLine(done.file)}.${key}`);
}

async function info(opened: OpenStore, flags: ReadFlags): Promise<number> {
  const states: Record<string, number> = {};
  for (const state of RUN_STATES) states[state] = await opened.countRuns(state);
  const known = await countRunIds(opened.reads);
  const runs = Object.values(states).reduce((sum, count) => sum + count, 0);
  const { kind, copied } = opened;
  const loss = await opened.loss();
  const facts = { kind, schema: SCHEMA, held_by_core: copied, runs, tombstones: known - runs, states, loss };
  if (flags.has('json')) printJson(facts);
  else {
    const rows = [
      ['storage', `${kind}, schema ${SCHEMA}${copied ? ', in use by a running core' : ''}`],
      ['runs', String(runs)],
      ...Object.entries(states).map(([state, count]) => [`  ${state}`, String(count)]),
      ['tombstones', String(facts.tombstones)],
      ...(loss === null ? [] : [['lost', oneLine(loss)]]),
    ];
    print(tableText(rows));
  }
  return EXIT.done;
}

async function migrate(opened: OpenStore, flags: ReadFlags): Promise<number> {
  const to = flags.text('to');
  if (to === null) throw usageError('--to is missing: culprit store migrate --to URL.');
  const target = storageConfig(flags, to);
  return withStorage(target, false, async (other) => {
    await checkEmpty(other);
    const progress = progressOn(process.stderr, !flags.has('json'));
    const all = await countRunIds(opened.reads);
    const done = await importAll(other, everything(opened.reads), (_, runs) => progress.at(runs, all));
    progress.end();
    const next = 'Set STORAGE_URL to the new storage and start core.';
    return report(flags, done, `Migrated ${done.runs} runs. ${next}`);
  });
}
