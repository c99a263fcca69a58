import type { Signal } from '@preact/signals';
import { checkedPrefix } from '../../../source-maps/built-script.js';
import { type SendOptions, sendArchive, UploadFailed } from '../../../source-maps/send-archive.js';
import { coreUrl } from '../../api.js';
import type { FormProblem } from '../../parts/field.js';
import { signedOut } from '../../state/session.js';
import { archiveOf, chunked } from './archive.js';
import type { PairedFiles } from './pair-files.js';

/** What is in the fields. */
export type UploadTexts = Readonly<Record<'project' | 'release' | 'dist' | 'prefix', Signal<string>>>;

/** What is wrong before anything is sent: the rules of `culprit sourcemaps upload`. */
export function checkUpload({ scripts }: PairedFiles, { release, prefix }: UploadTexts): FormProblem | null {
  if (checkedPrefix(prefix.value.trim()) === null)
    return {
      field: 'prefix',
      text: 'It must start with ~/ or a scheme, such as ~/assets/ or https://cdn.example/.',
    };
  const without = scripts.find(({ debug_id }) => debug_id === null);
  if (release.value.trim() !== '' || without === undefined) return null;
  return {
    field: 'release',
    text: `${without.name} has no debug id, so crashes could not find its source map without a release.`,
  };
}

/** Packs and sends the maps in pieces; what core has already is not sent again. */
export async function upload(
  files: PairedFiles,
  texts: UploadTexts,
  progress: Required<Pick<SendOptions, 'onProgress' | 'signal'>>,
): Promise<void> {
  const text = (name: keyof UploadTexts) => texts[name].value.trim();
  const facts = {
    project: text('project'),
    release: text('release') || null,
    dist: text('dist') || null,
    urlPrefix: checkedPrefix(text('prefix')) ?? '',
  };
  const archive = await archiveOf(files, facts);
  const cut = (size: number) => chunked(archive, size);
  await sendArchive({ url: coreUrl, token: null }, cut, { ...facts, ...progress });
}

/** What core said, or the browser: a file may have changed or gone since it was chosen. */
export function problemOfUpload(error: unknown): FormProblem {
  if (error instanceof UploadFailed && error.status === 401)
    signedOut('Your session has ended. Sign in again to return to this page.');
  const lost = error instanceof DOMException && error.name === 'NotReadableError';
  if (lost) return { field: null, text: 'A file has changed since it was chosen. Choose the folder again.' };
  return { field: null, text: error instanceof Error ? error.message : String(error) };
}
