import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { print, printError, styleFor } from '../log/terminal.js';
import {
  type BuiltFile,
  checkedPrefix,
  DEFAULT_PREFIX,
  findBuiltFiles,
} from '../source-maps/find-built-files.js';
import { UploadFailed, type UploadTarget } from '../source-maps/send-archive.js';
import { uploadSourceMaps } from '../source-maps/upload-source-maps.js';
import { CLIENT_FLAGS, clientConfig, connect } from './client-flags.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'sourcemaps upload DIR [--release RELEASE] [--dist DIST] [--project NAME] [--url-prefix URL] [flags]',
    'sourcemaps [list] [--release RELEASE] [--project NAME] [flags]',
    'sourcemaps delete ID… [flags]',
  ],
  flags: {
    release: { value: 'RELEASE', meaning: 'the release as crashes report it; list: only this one' },
    dist: { value: 'DIST', meaning: 'upload: the distribution, if crashes report one' },
    project: { value: 'NAME', meaning: 'upload: the project (default `default`); list: only this one' },
    'url-prefix': {
      value: 'URL',
      meaning: 'upload: what stands before the files’ paths in crashes, such as ~/assets/ (default ~/)',
    },
    ...CLIENT_FLAGS,
  },
  notes: [
    'A token needs the scope `release`. Without --release every built file needs a debug id, as bundler plugins and `sentry-cli sourcemaps inject` write it.',
  ],
};

const ACTIONS: Readonly<Record<string, (flags: ReadFlags, rest: readonly string[]) => Promise<void>>> = {
  upload,
  list,
  delete: remove,
};

/** Uploads source maps, lists and deletes them. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', ...rest] = flags.positionals;
  const action = ACTIONS[verb];
  if (action === undefined) throw unknownWord('subcommand', verb, Object.keys(ACTIONS));
  await action(flags, rest);
  return EXIT.done;
}

async function upload(flags: ReadFlags, [folder, ...rest]: readonly string[]): Promise<void> {
  if (folder === undefined || rest.length > 0)
    throw usageError('Name one folder: culprit sourcemaps upload DIR.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailure(
      `${folder} is not a folder. Name the folder with the built files.`,
      EXIT.notFound,
    );
  const { files, skipped } = findBuiltFiles(resolve(folder));
  for (const one of skipped) printError(`skipped ${oneLine(one)}\n`);
  const release = flags.text('release');
  checkFiles(files, folder, release);
  const project = flags.text('project') ?? 'default';
  try {
    await uploadSourceMaps(reviewer(flags), {
      files,
      project,
      release,
      dist: flags.text('dist'),
      urlPrefix: prefixOf(flags.text('url-prefix')),
    });
  } catch (error) {
    if (error instanceof UploadFailed) throw new CommandFailure(oneLine(error.message), EXIT.refused);
    throw error;
  }
  const names = files.map(({ name }) => name);
  if (flags.has('json')) return printJson({ project, release, files: names, skipped });
  const of = release === null ? 'by debug id' : `of release ${oneLine(release)}`;
  print(
    `Uploaded the source maps of ${names.length} built ${names.length === 1 ? 'file' : 'files'} ${of}.\n`,
  );
}

/** @throws a failure that says how to set the token */
function reviewer(flags: ReadFlags): UploadTarget {
  const { url } = connect(flags);
  return { url, token: clientConfig(flags).token ?? '' };
}

function checkFiles(files: readonly BuiltFile[], folder: string, release: string | null): void {
  if (files.length === 0)
    throw new CommandFailure(
      `${folder} contains no built file with a source map. Build with source maps first.`,
      EXIT.notFound,
    );
  const without = files.find(({ debug_id }) => debug_id === null);
  if (release === null && without !== undefined)
    throw usageError(
      `${without.name} has no debug id, so crashes could not find its source map. Pass --release, or run: sentry-cli sourcemaps inject ${folder}`,
    );
}

function prefixOf(given: string | null): string {
  const prefix = checkedPrefix(given ?? DEFAULT_PREFIX);
  if (prefix !== null) return prefix;
  throw usageError('--url-prefix must start with ~/ or a scheme, such as ~/assets/ or https://cdn.example/.');
}

async function list(flags: ReadFlags, rest: readonly string[]): Promise<void> {
  if (rest.length > 0) throw usageError('Too many arguments.');
  const [project, release] = [flags.text('project'), flags.text('release')];
  const found = await connect(flags).listSourceMaps({
    ...(project === null ? {} : { project }),
    ...(release === null ? {} : { release }),
  });
  if (flags.has('json')) return printJson(found);
  const style = styleFor(process.stdout);
  const each = found.project_quota_bytes ? `, at most ${mib(found.project_quota_bytes)} by a project` : '';
  const limits = `${mib(found.used_bytes)} of ${mib(found.quota_bytes)} used${each}. Uploads are deleted ${days(found.keep_ms)} after their last use.\n`;
  if (found.uploads.length === 0) return void print(`No source maps.\n${style('dim', limits)}`);
  const rows = found.uploads.map((one) => [
    one.id,
    clipped(one.project, 20),
    clipped(one.release ?? '(debug ids)', 40),
    String(one.files),
    mib(one.bytes),
    one.uploaded_at.slice(0, 16).replace('T', ' '),
    one.used_at.slice(0, 16).replace('T', ' '),
    one.kept_until.slice(0, 10),
  ]);
  const head = ['ID', 'PROJECT', 'RELEASE', 'FILES', 'SIZE', 'UPLOADED (UTC)', 'LAST USED', 'KEPT UNTIL'];
  print(tableText([head, ...rows], (cell, row) => (row === 0 ? style('dim', cell) : cell)));
  print(style('dim', limits));
}

async function remove(flags: ReadFlags, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) throw usageError('Name the ids that `culprit sourcemaps list` prints.');
  const api = connect(flags);
  for (const id of ids) await api.deleteSourceMaps({ id });
  if (flags.has('json')) printJson({ deleted: ids });
  else print(`Deleted ${ids.length} ${ids.length === 1 ? 'upload' : 'uploads'}.\n`);
}

function days(ms: number): string {
  const count = Number((ms / 86_400_000).toFixed(1));
  return `${count} ${count === 1 ? 'day' : 'days'}`;
}

const mib = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / (1024 * 1024))} MiB`;
