import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OpenStore } from '@culprit/connectors/storage';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import {
  checkExport,
  type ExportHead,
  exportLines,
  readKept,
} from '@culprit/core/internal/store/transfer/export-file';
import { INSTALL_KEY } from '@culprit/core/internal/store/transfer/record-check';
import { checkEmpty, countRunIds, importAll } from '@culprit/core/internal/store/transfer/transfer';
import { createFile } from '../config/private-files.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { progressOn } from './progress.js';
import type { ReadFlags } from './read-flags.js';

/** The files of an export. */
export interface Exported {
  readonly file: string;
  readonly runs: number;
  /** The file with the install key; `null` if the storage has none. */
  readonly install_key: string | null;
}

/** Writes the export and, next to it, the install key. Both get their final names only when they are complete. */
export async function exportTo(opened: OpenStore, file: string, flags: ReadFlags): Promise<Exported> {
  const keyFile = `${file}.key`;
  const force = flags.has('force');
  for (const path of [file, keyFile]) {
    if (!force && existsSync(path))
      throw new CommandFailure(
        `${path} exists. Choose another name, or pass --force to replace it.`,
        EXIT.usage,
      );
  }
  const installKey = (await opened.values.get(INSTALL_KEY)) ?? null;
  const progress = progressOn(process.stderr, !flags.has('json'));
  const all = await countRunIds(opened.reads);
  let runs = 0;
  const lines = async function* () {
    for await (const line of exportLines(opened.reads, {
      exported_at: new Date().toISOString(),
      installKey,
    })) {
      if (line.startsWith('{"key":"h/')) progress.at(++runs, all);
      yield `${line}\n`;
    }
  };
  const options = { mode: 0o600, flush: true };
  await pipeline(Readable.from(lines()), createWriteStream(`${file}.part`, options));
  await rename(`${file}.part`, file);
  progress.end();
  if (installKey === null) return { file, runs, install_key: null };
  createFile(keyFile, `${installKey}\n`, true);
  return { file, runs, install_key: keyFile };
}

/** Checks the whole file, then imports it into an empty storage. */
export async function importFrom(opened: OpenStore, file: string, flags: ReadFlags) {
  await checkEmpty(opened);
  if (!existsSync(file)) throw new CommandFailure(`${file} does not exist.`, EXIT.notFound);
  const { runs: all, ...head } = await checkExport(linesOf(file));
  const installKey = installKeyFor(head, file, flags);
  const progress = progressOn(process.stderr, !flags.has('json'));
  const done = await importAll(opened, records(file), (_, runs) => progress.at(runs, all));
  if (installKey !== null) await opened.values.set(INSTALL_KEY, installKey);
  progress.end();
  return done;
}

/** The key of the exported storage, without which a restored run would not recognise its published issue. */
function installKeyFor(
  head: Pick<ExportHead, 'install_key_sha256'>,
  file: string,
  flags: ReadFlags,
): string | null {
  if (head.install_key_sha256 === null || flags.has('new-install-key')) return null;
  const path = flags.text('install-key') ?? `${file}.key`;
  if (!existsSync(path)) {
    throw new CommandFailure(
      `${path} does not exist. Pass the key file of this export with --install-key FILE; without it, issues that were published since the export may be published twice (--new-install-key).`,
      EXIT.notFound,
    );
  }
  const key = readFileSync(path, 'utf8').trim();
  if (sha256Hex(key) === head.install_key_sha256) return key;
  throw new CommandFailure(`${path} is the key of another export.`, EXIT.usage);
}

async function* records(file: string) {
  for await (const line of linesOf(file)) {
    const kept = readKept(line);
    if (kept !== null) yield kept;
  }
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}
