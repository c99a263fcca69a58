import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownEnvironment } from '../config/child-env.js';
import { CommandFailure, EXIT } from './exit-codes.js';

/** Writes the text to a new file that only this user can read, and returns its path. */
export function keepText(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'culprit-')), name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Removes a file of `keepText` with its folder. */
export function dropText(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true });
}

/** Opens the file in the editor of VISUAL or EDITOR, which may have arguments, and resolves with the text after the editor has ended. */
export async function editedText(path: string): Promise<string> {
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
