import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  checkEmpty,
  exportLines,
  importAll,
  type OpenStore,
  readHead,
  readKept,
} from '@culprit/connectors/storage';
import { CulpritError } from '@culprit/core';
import { RUN_STATES } from '@culprit/core/model';
import { print } from '../log/terminal.js';
import { EXIT, usageError } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS, storageConfig, withStorage } from './storage-flags.js';

export const usage: CommandUsage = {
  forms: [
    'store info [flags]',
    'store export FILE [flags]',
    'store import FILE [flags]',
    'store migrate --to URL [flags]',
    'store compact [flags]',
  ],
  flags: {
    ...STORAGE_FLAGS,
    to: { value: 'URL', meaning: 'an empty storage to migrate to: file:<dir> or redis://…' },
  },
  notes: [
    'info and export work while core runs. Stop core before import, before migrate, and before compact of a file. An export contains the key of the installation, so that nothing is published twice; it does not contain audit.key.',
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
      return withStorage(config, true, (opened) => exportTo(opened, file ?? '', flags));
    case 'import':
      return withStorage(config, false, (opened) => importFrom(opened, file ?? '', flags));
    case 'migrate':
      return withStorage(config, false, (opened) => migrate(opened, flags));
    case 'compact':
      return withStorage(config, false, async (opened) => {
        const progress = progressOn(process.stderr, !flags.has('json'));
        await opened.compact(progress.at);
        progress.end();
        return report(flags, { status: 'compacted' }, 'Storage compacted.');
      });
    default:
      throw usageError('Use culprit store info, export, import, migrate or compact.');
  }
}

function report(flags: ReadFlags, value: object, text: string): number {
  if (flags.has('json')) printJson(value);
  else print(`${text}\n`);
  return EXIT.done;
}

async function info(opened: OpenStore, flags: ReadFlags): Promise<number> {
  const states: Record<string, number> = {};
  for (const state of RUN_STATES) states[state] = await opened.countRuns(state);
  const known = await opened.dump.count();
  const runs = Object.values(states).reduce((sum, count) => sum + count, 0);
  const { kind, copied, schema } = opened;
  const facts = { kind, schema, held_by_core: copied, runs, tombstones: known - runs, states };
  if (flags.has('json')) printJson(facts);
  else {
    const rows = [
      ['storage', `${kind}, schema ${schema}${copied ? ', in use by a running core' : ''}`],
      ['runs', String(runs)],
      ...Object.entries(states).map(([state, count]) => [`  ${state}`, String(count)]),
      ['tombstones', String(facts.tombstones)],
    ];
    print(tableText(rows));
  }
  return EXIT.done;
}

async function exportTo(opened: OpenStore, file: string, flags: ReadFlags): Promise<number> {
  const progress = progressOn(process.stderr, !flags.has('json'));
  let runs = 0;
  let all = 0;
  const lines = async function* () {
    for await (const line of exportLines(opened.dump, new Date().toISOString())) {
      if (all === 0 && line.startsWith('{"format"')) all = readHead(line).runs;
      else if (line.startsWith('{"key":"h/')) progress.at(++runs, all);
      yield `${line}\n`;
    }
  };
  // The file gets its own name only when it is complete.
  await pipeline(Readable.from(lines()), createWriteStream(`${file}.part`, { mode: 0o600, flush: true }));
  await rename(`${file}.part`, file);
  progress.end();
  return report(flags, { file, runs }, `Exported ${runs} runs to ${oneLine(file)}.`);
}

async function importFrom(opened: OpenStore, file: string, flags: ReadFlags): Promise<number> {
  await checkEmpty(opened);
  const progress = progressOn(process.stderr, !flags.has('json'));
  const input = createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const first = await lines.next();
  const { runs: all } = readHead(first.done ? '' : first.value);
  const kept = async function* () {
    for (let line = await lines.next(); !line.done; line = await lines.next()) yield readKept(line.value);
  };
  const done = await importAll(opened, kept(), (_, runs) => progress.at(runs, all));
  progress.end();
  if (done.runs < all) {
    throw new CulpritError(
      'malformed',
      `The export is truncated: ${done.runs} of ${all} runs. Use another backup.`,
    );
  }
  return report(flags, done, `Imported ${done.runs} runs.`);
}

async function migrate(opened: OpenStore, flags: ReadFlags): Promise<number> {
  const to = flags.text('to');
  if (to === null) throw usageError('--to is missing: culprit store migrate --to URL.');
  const target = storageConfig(flags, to);
  return withStorage(target, false, async (other) => {
    await checkEmpty(other);
    const progress = progressOn(process.stderr, !flags.has('json'));
    const all = await opened.dump.count();
    const done = await importAll(other, opened.dump.all(), (_, runs) => progress.at(runs, all));
    progress.end();
    const next = 'Set STORAGE_URL to the new storage and start core.';
    return report(flags, done, `Migrated ${done.runs} runs. ${next}`);
  });
}
