import { defineConnector } from '@culprit/core';
import { keptWhileGood } from '../shared/kept-while-good.js';
import { checkGitlab } from './check.js';
import { gitlabClient } from './client.js';
import { GitlabCodeHost } from './code-host.js';
import { gitlabConfig } from './config.js';
import { GitlabPublisher } from './publisher.js';

export type { IssueWebhook, IssueWebhookRequest } from '../shared/issue-webhook.js';
export { gitlabWebhook } from './webhook.js';

/**
 * GitLab.com and self-managed GitLab as code host and publisher. A token reads; the same or a second one writes issues. Addresses are
 * `gitlab:group/project`.
 */
export const gitlab = defineConnector({
  id: 'gitlab',
  config: gitlabConfig,
  setup: (config, context) => {
    const { fetch } = context;
    const { token, publishToken, only, repository, publishRepository = repository, confidential } = config;
    const reader = gitlabClient(token, config, fetch);
    const writer = publishToken ? gitlabClient(publishToken, config, fetch) : reader;
    return {
      ...(only === 'publisher' ? {} : { codeHost: new GitlabCodeHost(reader, config.url, context) }),
      ...(only === 'codeHost' ? {} : { publisher: new GitlabPublisher(writer, confidential) }),
      check: keptWhileGood(context, (signal) =>
        checkGitlab(
          {
            reader,
            writer,
            repository: only === 'publisher' ? undefined : repository,
            publishRepository: only === 'codeHost' ? undefined : publishRepository,
          },
          signal,
        ),
      ),
    };
  },
});
