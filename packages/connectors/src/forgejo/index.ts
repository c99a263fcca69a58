import { join, resolve } from 'node:path';
import { type ConnectorContext, CulpritError, defineConnector } from '@culprit/core';
import { createMirrors, git } from '../git/index.js';
import { checkForgejo } from './check.js';
import { type ForgejoClient, forgejoClient } from './client.js';
import { ForgejoCodeHost } from './code-host.js';
import { type ForgejoConfig, forgejoConfig, repositoryName } from './config.js';
import { ForgejoPublisher } from './publisher.js';
import { pullRequestReader } from './pull-requests.js';

export type { IssueWebhook, IssueWebhookRequest } from '../shared/issue-webhook.js';
export { forgejoWebhook } from './webhook.js';

/**
 * Forgejo and Gitea as code host and publisher. Code is read from bare copies that git fetches with the token, issues through the
 * REST API. Needs the scopes read:repository, read:user and write:issue.
 */
export const forgejo = defineConnector({
  id: 'forgejo',
  config: forgejoConfig,
  async setup(config, context) {
    const { url, token, publishToken = token, only, repository, tryWriting } = config;
    const reader = forgejoClient(token, config, context.fetch);
    const writer = forgejoClient(publishToken, config, context.fetch);
    const publishRepository = config.publishRepository ?? repository;
    const parts = only === 'publisher' ? null : await codeHostOf(config, reader, context);
    return {
      ...(parts === null ? {} : { codeHost: parts.codeHost, close: parts.close }),
      ...(only === 'codeHost' ? {} : { publisher: new ForgejoPublisher(writer, context) }),
      check: (signal) =>
        checkForgejo(
          {
            url,
            reader,
            writer,
            repository: only === 'publisher' ? undefined : repository,
            publishRepository: only === 'codeHost' ? undefined : publishRepository,
            tryWriting,
          },
          signal,
        ),
    };
  },
});

async function codeHostOf(config: ForgejoConfig, client: ForgejoClient, context: ConnectorContext) {
  const { url, token, mirrorDirectory, fetchTimeoutMs: timeoutMs, buildGraphs } = config;
  if (mirrorDirectory === undefined)
    throw new CulpritError('configuration', 'Connector forgejo: mirrorDirectory is missing.', {
      path: 'mirrorDirectory',
    });
  // Two servers may have repositories of the same name.
  const directory = join(mirrorDirectory, encodeURIComponent(url.replace(/^https?:\/\//, '').toLowerCase()));
  const mirrors = createMirrors({ directory, timeoutMs });
  const { codeHost: history, close } = await git({
    graphDirectory: resolve(directory, 'commit-graphs'),
    buildGraphs,
  }).setup(context);
  if (history === undefined) throw new Error('the git connector provides no code host');
  const authorization = `Basic ${Buffer.from(`culprit:${token}`).toString('base64')}`;
  const pullRequests = pullRequestReader(client, url, mirrors, context);
  const codeHost = new ForgejoCodeHost({ client, url, authorization, mirrors, history, pullRequests });
  for (const address of config.repositories)
    codeHost.fetch(address, repositoryName(address), context.signal).catch((error) => {
      context.logger.warn({ err: error, repository: address }, 'a repository could not be copied');
    });
  return {
    codeHost,
    async close() {
      await mirrors.close();
      await close?.();
    },
  };
}
