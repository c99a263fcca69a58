import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiError } from '@culprit/client';
import type { Draft } from '@culprit/core/connector';
import { draftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { ownEnvironment } from '../config/child-env.js';
import { print } from '../log/terminal.js';
import {
  BODY_ALONE,
  checkBase,
  type DraftText,
  draftFile,
  fileText,
  readDraftFile,
  withText,
} from './draft-file.js';
import { CommandFailure, EXIT, exitCodeOfRequest, usageError } from './exit-codes.js';
import type { Given } from './over-core.js';
import { printJson } from './print.js';
import type { ReadFlags } from './read-flags.js';
import { printChanges } from './runs-text.js';

/** Where the text comes from, and what becomes of it if it cannot be saved. */
interface Written {
  readonly text: DraftText;
  /** The file that has the text; `null`: there is no text to lose. */
  readonly path: string | null;
  /** True: this command made the file. */
  readonly own: boolean;
}

/** Edits a draft: in the editor, or with the text of a file. The text is never lost. */
export async function edit({ api, flags }: Given, runId: string): Promise<void> {
  const { state } = await api.getRun({ run_id: runId });
  if (state !== 'staged_draft') {
    const detail = `The draft of a run can be edited at Gate 2, and the run is ${state}.`;
    throw new CommandFailure(detail, EXIT.conflict, 'state_conflict');
  }
  const draft = await api.getDraft({ run_id: runId });
  const written = await write(flags, runId, draft);
  const { title, labels, assignees, body } = withText(draft, written.text);
  const content = {
    title: flags.text('title') ?? title,
    body,
    labels: [...labels],
    assignees: [...assignees],
  };
  let saved: Draft;
  try {
    if (body.trim() === '') throw usageError('The text is empty, so nothing was saved.');
    saved = await api.editDraft({ run_id: runId, ...content, if_match: draft.digest });
  } catch (error) {
    throw written.path === null ? error : unsaved(error, runId, written.path);
  }
  if (written.own && written.path !== null) dropText(written.path);
  const difference = draftDifference(draft, saved);
  if (flags.has('json')) return printJson({ draft: saved, difference });
  if (difference.same) return void print('The draft is unchanged.\n');
  printChanges(difference);
  print(`\nsaved: the digest of the draft is ${saved.digest}\n`);
}

async function write(flags: ReadFlags, runId: string, draft: Draft): Promise<Written> {
  const file = flags.text('file');
  if (file !== null) {
    const all = fileText(file);
    const own = file === '-';
    const path = own ? keepText(`${runId}.md`, all) : file;
    try {
      const text = readDraftFile(all);
      checkBase(flags, runId, draft, text.digest);
      return { text, path, own };
    } catch (error) {
      throw unsaved(error, runId, path);
    }
  }
  if (flags.text('title') !== null) {
    if (flags.text('digest') !== null) checkBase(flags, runId, draft, null);
    return { text: { ...BODY_ALONE, body: draft.body }, path: null, own: false };
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY || flags.has('json'))
    throw usageError('Pass --file FILE or --title TEXT: an editor needs a terminal.');
  const path = keepText(`${runId}.md`, draftFile(draft));
  try {
    return { text: readDraftFile(await editedText(path)), path, own: true };
  } catch (error) {
    throw error instanceof CommandFailure && error.exitCode === EXIT.failed
      ? error
      : unsaved(error, runId, path);
  }
}

/** The error with where the text is and what to do with it. */
function unsaved(error: unknown, runId: string, path: string): unknown {
  if (!(error instanceof ApiError || error instanceof CommandFailure)) return error;
  const { code } = error;
  const exitCode = error instanceof CommandFailure ? error.exitCode : exitCodeOfRequest(error.code);
  const again = `culprit runs edit ${runId} --file ${path}`;
  const next =
    code === 'draft_changed'
      ? `Read the draft with \`culprit runs show ${runId} --draft\`, bring the two texts together in the file, and save it with \`${again} --digest DIGEST\` and the new digest.`
      : `Save it with: ${again}`;
  return new CommandFailure(`${error.message} Your text is in ${path}. ${next}`, exitCode, code);
}

/** Writes the text to a new file that only this user can read, and returns its path. */
function keepText(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'culprit-')), name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Removes a file of `keepText` with its folder. */
function dropText(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true });
}

/** Opens the file in the editor of VISUAL or EDITOR, which may have arguments, and resolves with the text after the editor has ended. */
async function editedText(path: string): Promise<string> {
  const { VISUAL, EDITOR } = ownEnvironment();
  const editor = VISUAL || EDITOR || 'vi';
  // Ctrl-C belongs to the editor.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, path], { stdio: 'inherit' });
    const code = await new Promise<number | string | null>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    if (code === 0) return readFileSync(path, 'utf8');
    const detail = `The editor ${JSON.stringify(editor)} failed (${code}), so nothing was saved. Set EDITOR, or pass --file FILE. Your text is in ${path}.`;
    throw new CommandFailure(detail, EXIT.failed);
  } finally {
    process.off('SIGINT', ignore);
  }
}
