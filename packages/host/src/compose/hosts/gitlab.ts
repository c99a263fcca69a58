import { gitlab as connector, gitlabWebhook } from '@culprit/connectors/gitlab';
import { gitlabSettings } from '@culprit/connectors/settings';
import { fromConnector, optionsOf } from '../../config/own-settings.js';
import { named } from '../../config/setting.js';
import { demandPrivate, refused } from '../refused.js';
import { askedOf, mirrorOf, namedOn, type RepositoryHost, webhookSecret } from './host.js';

const GITLAB_COM = 'https://gitlab.com';

const settings = named({
  ...fromConnector(gitlabSettings),
  gitlabWebhookSecret: webhookSecret('gitlab', 'GitLab', 'Signing token (whsec_…) or secret token'),
});

/** GitLab.com or one self-managed server, which shows code and issues on its own pages. */
export const gitlab: RepositoryHost<typeof settings> = {
  titles: { codeHost: 'GitLab', publisher: 'GitLab' },
  addresses: 'gitlab:group/project',
  guide: 'connectors/gitlab.md',
  settings,
  scheme: 'gitlab:',
  questions: [
    { key: 'gitlabUrl', flag: 'gitlab-url', ask: 'Address of the GitLab server (empty: https://gitlab.com)' },
    { key: 'gitlabToken', ask: 'GitLab access token', required: 'A project on GitLab needs a token' },
  ],
  serverOf: (written) => written('gitlabUrl') ?? GITLAB_COM,
  canonical: (rest) => `gitlab:${rest}`,
  recognises: (address) => /^gitlab:(?:[\w-][\w.-]{0,254}\/){1,20}[\w-][\w.-]{0,254}$/.test(address),
  setUpBy: ['gitlabToken', 'gitlabPublishToken', 'gitlabUrl'],
  compose(request) {
    const { config, repositories } = request;
    const { gitlabToken, gitlabUrl } = config;
    if (gitlabUrl !== null) demandPrivate(config, 'gitlabUrl', gitlabUrl, 'because the token is sent there');
    const found = repositories[0]?.address ?? 'gitlab:group/project';
    if (gitlabToken === null)
      throw refused('gitlabToken', `${found} is a project on GitLab, and GITLAB_TOKEN is not set.`);
    const token = gitlabToken.reveal();
    const options = {
      ...optionsOf(gitlabSettings, config),
      ...mirrorOf(request),
      token,
      ...askedOf(request),
    };
    return { connectors: () => [connector(options)], documents: {} };
  },
  check: async ({ gitlabUrl }, repositories) => namedOn(gitlabUrl ?? GITLAB_COM, repositories),
  issueEvents: {
    secrets: 'gitlabWebhookSecret',
    headers: {
      'webhook-signature':
        'By the Standard Webhooks rules, if GITLAB_WEBHOOK_SECRET is a signing token; with webhook-id and webhook-timestamp',
      'X-Gitlab-Token': 'GITLAB_WEBHOOK_SECRET, if it is a secret token',
      'X-Gitlab-Event':
        'Events other than `Issue Hook`, `Confidential Issue Hook` and `Merge Request Hook` are ignored',
    },
    open: gitlabWebhook,
  },
  clockUrl: ({ gitlabUrl }) => gitlabUrl ?? GITLAB_COM,
};
