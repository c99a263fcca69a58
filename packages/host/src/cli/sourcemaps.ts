import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer } from '@culprit/client';
import { printError, styleFor } from '../log/terminal.js';
import {
  type BuiltFile,
  checkedPrefix,
  DEFAULT_PREFIX,
  findBuiltFiles,
} from '../source-maps/find-built-files.js';
import { UploadFailed } from '../source-maps/send-archive.js';
import { uploadSourceMaps } from '../source-maps/upload-source-maps.js';
import { withToken } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { form, type Given, overCore } from './over-core.js';
import { clipped, listText, minuteText, oneLine, plural } from './print.js';

const HEAD = ['ID', 'PROJECT', 'RELEASE', 'FILES', 'SIZE', 'UPLOADED (UTC)', 'LAST USED', 'KEPT UNTIL'];

/** Uploads source maps, lists and deletes them. */
export const { usage, run } = overCore(
  'sourcemaps',
  {
    flags: {
      release: { value: 'RELEASE', meaning: 'the release as crashes report it; list: only this one' },
      dist: { value: 'DIST', meaning: 'upload: the distribution, if crashes report one' },
      project: { value: 'NAME', meaning: 'upload: the project (default `default`); list: only this one' },
      'url-prefix': {
        value: 'URL',
        meaning: 'upload: the prefix of the files’ paths in crashes, such as ~/assets/ (default ~/)',
      },
    },
    notes: [
      'A token needs the scope `release`. Without --release every built file needs a debug id, as bundler plugins and `sentry-cli sourcemaps inject` write it.',
    ],
  },
  {
    upload: form('DIR [--release RELEASE] [--dist DIST] [--project NAME] [--url-prefix URL]', {
      call: upload,
      text({ files, release }) {
        const of = release === null ? 'by debug id' : `of release ${oneLine(release)}`;
        return `Uploaded the source maps of ${plural(files.length, 'built file')} ${of}.\n`;
      },
    }),
    '[list]': form('[--release RELEASE] [--project NAME]', {
      call: ({ api, flags }) =>
        api.listSourceMaps({
          project: flags.text('project') ?? undefined,
          release: flags.text('release') ?? undefined,
        }),
      text: uploadsText,
    }),
    delete: form('ID…', {
      async call({ api, args: ids }) {
        for (const id of ids) await api.deleteSourceMaps({ id });
        return { deleted: ids };
      },
      text: ({ deleted }) => `Deleted ${plural(deleted.length, 'upload')}.\n`,
    }),
  },
);

async function upload({ flags, args: [folder = ''] }: Given) {
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
  const urlPrefix = prefixOf(flags.text('url-prefix'));
  const { core, token } = withToken(flags);
  try {
    await uploadSourceMaps(
      { url: core.url, token },
      { files, project, release, dist: flags.text('dist'), urlPrefix },
    );
  } catch (error) {
    if (error instanceof UploadFailed) throw new CommandFailure(oneLine(error.message), EXIT.refused);
    throw error;
  }
  return { project, release, files: files.map(({ name }) => name), skipped };
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

function uploadsText(found: Answer<'listSourceMaps', 200>): string {
  const each = found.project_quota_bytes ? `, at most ${mib(found.project_quota_bytes)} by a project` : '';
  const limits = `${mib(found.used_bytes)} of ${mib(found.quota_bytes)} used${each}. Uploads are deleted ${days(found.keep_ms)} after their last use.\n`;
  const rows = found.uploads.map((one) => [
    one.id,
    clipped(one.project, 20),
    clipped(one.release ?? '(debug ids)', 40),
    String(one.files),
    mib(one.bytes),
    minuteText(one.uploaded_at),
    minuteText(one.used_at),
    one.kept_until.slice(0, 10),
  ]);
  const list = rows.length === 0 ? 'No source maps.\n' : listText(HEAD, rows);
  return `${list}${styleFor(process.stdout)('dim', limits)}`;
}

const days = (ms: number) => plural(Number((ms / 86_400_000).toFixed(1)), 'day');

const mib = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / (1024 * 1024))} MiB`;
