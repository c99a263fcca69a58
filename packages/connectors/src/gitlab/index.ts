import { defineConnector } from '@culprit/core';
import { checkedRepositories, portsOf } from '../shared/hosts/settings.js';
import { keptWhileGood } from '../shared/kept-while-good.js';
import { gitlabClient } from './ask.js';
import { checkGitlab } from './check.js';
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
    const { token, publishToken, url, confidential } = config;
    const reader = gitlabClient(token, config, context.fetch);
    const writer = publishToken ? gitlabClient(publishToken, config, context.fetch) : reader;
    const checked = { reader, writer, ...checkedRepositories(config) };
    return {
      ...portsOf(
        config,
        () => new GitlabCodeHost(reader, url, context),
        () => new GitlabPublisher(writer, confidential),
      ),
      check: keptWhileGood(context, (signal) => checkGitlab(checked, signal)),
    };
  },
});
