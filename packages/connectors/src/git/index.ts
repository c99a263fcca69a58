import { type Check, defineConnector, isCulpritError } from '@culprit/core/connector';
import type { Git } from './client.js';
import { gitConfig } from './config.js';
import { openGit } from './open-git.js';
import { oneLine } from './text.js';

/** A local repository as code host: no account, no network. `repository` is its path, bare or with a work tree. */
export const git = defineConnector({
  id: 'git',
  config: gitConfig,
  setup: (config) => {
    const { client, ...parts } = openGit(config);
    return { ...parts, check: (signal) => checkGit(client, signal) };
  },
});

export { type FixesRequest, type NamedFix, readFixes } from './fixes.js';
export { type Ask, type Mirrored, type MirroredOptions, openMirrored, withCopies } from './mirrored.js';
export { createMirrors, type MirrorOptions, type MirrorSource, type Mirrors } from './mirrors.js';
export type { OutboxIssue } from './outbox/issue-folder.js';
export { listOutboxIssues, readOutboxIssue } from './outbox/issue-folder.js';
export {
  ISSUE_CSS_PATH,
  type OutboxPage,
  type OutboxPages,
  outboxPages,
  renderIssuePage,
} from './outbox/issue-page.js';
export { issuePageCss } from './outbox/issue-page-css.js';
export { outbox } from './outbox/outbox.js';
export { readIntroducers, readSource } from './source.js';

/** The oldest git that supports every option used here. */
const OLDEST = [2, 31] as const;

/** Whether git is installed and new enough. */
async function checkGit(git: Git, signal: AbortSignal): Promise<readonly Check[]> {
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
