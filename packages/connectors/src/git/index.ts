import { defineConnector } from '@culprit/core';
import { checkGit } from './check.js';
import { createGit } from './client.js';
import { createGitCodeHost } from './code-host.js';
import { gitConfig } from './config.js';

/** A local repository as code host: no account, no network. `repository` is its path, bare or with a work tree. */
export const git = defineConnector({
  id: 'git',
  config: gitConfig,
  setup: (config) => {
    const client = createGit(config);
    return {
      codeHost: createGitCodeHost(client, config.links),
      check: (signal) => checkGit(client, signal),
      close: client.close,
    };
  },
});

export type { OutboxIssue } from './outbox/issue-file.js';
export { listOutboxIssues, readOutboxIssue } from './outbox/issue-folder.js';
export { ISSUE_CSS_PATH, renderIssuePage } from './outbox/issue-page.js';
export { issuePageCss } from './outbox/issue-page-css.js';
export { outbox } from './outbox/outbox.js';
export { type OutboxPages, outboxPages } from './outbox/outbox-pages.js';
export { readSource } from './source.js';
