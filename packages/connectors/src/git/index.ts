import { defineConnector } from '@culprit/core';
import { checkGit } from './check.js';
import { createGit } from './client.js';
import { createGitCodeHost } from './code-host.js';
import { gitConfig } from './config.js';
import { createGraphBuilder } from './graph-builder.js';
import { createGraphs, NO_GRAPHS } from './graphs.js';

/** A local repository as code host: no account, no network. `repository` is its path, bare or with a work tree. */
export const git = defineConnector({
  id: 'git',
  config: gitConfig,
  setup: (config) => {
    const { graphDirectory, buildGraphs } = config;
    const graphs = graphDirectory === undefined ? NO_GRAPHS : createGraphs(graphDirectory);
    const client = createGit(config, { graphs });
    const builder = createGraphBuilder(client, buildGraphs ? graphs : NO_GRAPHS);
    for (const repository of config.repositories) builder.now(repository);
    return {
      codeHost: createGitCodeHost(client, config, builder.soon),
      check: (signal) => checkGit(client, signal),
      close: async () => {
        await builder.close();
        await client.close();
      },
    };
  },
});

export { type FixesRequest, type NamedFix, readFixes } from './fixes.js';
export { readIntroducers } from './introducers.js';
export { createMirrors, type MirrorOptions, type MirrorSource, type Mirrors } from './mirrors.js';
export type { OutboxIssue } from './outbox/issue-file.js';
export { listOutboxIssues, readOutboxIssue } from './outbox/issue-folder.js';
export { ISSUE_CSS_PATH, renderIssuePage } from './outbox/issue-page.js';
export { issuePageCss } from './outbox/issue-page-css.js';
export { outbox } from './outbox/outbox.js';
export { type OutboxPage, type OutboxPages, outboxPages } from './outbox/outbox-pages.js';
export { readSource } from './source.js';
