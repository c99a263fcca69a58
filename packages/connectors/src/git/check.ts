import { type Check, isCulpritError } from '@culprit/core';
import type { Git } from './client.js';
import { oneLine } from './text.js';

/** The oldest git that supports every option used here. */
const OLDEST = [2, 31] as const;

/** Whether git is installed and new enough. */
export async function checkGit(git: Git, signal: AbortSignal): Promise<readonly Check[]> {
  try {
    const text = (await git.at(null, signal).output(['version'])).toString('latin1');
    const version = /(\d+)\.(\d+)\S*/.exec(text);
    const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
    const ok = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
    const detail = ok
      ? oneLine(text, 80)
      : `git ${OLDEST.join('.')} or newer is required; found ${oneLine(text, 80)}. Install a newer git.`;
    return [{ name: 'git', ok, detail }];
  } catch (error) {
    signal.throwIfAborted();
    if (!isCulpritError(error)) throw error;
    return [{ name: 'git', ok: false, detail: error.message }];
  }
}
