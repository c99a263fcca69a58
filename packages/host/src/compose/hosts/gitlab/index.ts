import { gitlab as connector, gitlabWebhook } from '@culprit/connectors/gitlab';
import { CulpritError } from '@culprit/core';
import type { Config } from '../../../config/config.js';
import { isReadable } from '../../../config/network.js';
import { checkedRepositories, onlyRole } from '../checked.js';
import type { HostRequest, RepositoryHost } from '../host.js';
import { gitlabSettings } from './settings.js';

const GITLAB_COM = 'https://gitlab.com';

/** GitLab.com or one self-managed server, which shows code and issues on its own pages. */
export const gitlab: RepositoryHost<typeof gitlabSettings> = {
  titles: { codeHost: 'GitLab', publisher: 'GitLab' },
  addresses: 'gitlab:group/project',
  guide: 'connectors/gitlab.md',
  settings: gitlabSettings,
  scheme: 'gitlab:',
  questions: [
    { key: 'gitlabUrl', flag: 'gitlab-url', ask: 'Address of the GitLab server (empty: https://gitlab.com)' },
    { key: 'gitlabToken', ask: 'GitLab access token', required: 'A project on GitLab needs a token' },
  ],
  serverOf: (written) => written('gitlabUrl') ?? GITLAB_COM,
  canonical: (rest) => `gitlab:${rest}`,
  recognises: (address) => /^gitlab:(?:[\w-][\w.-]{0,254}\/){1,20}[\w-][\w.-]{0,254}$/.test(address),
  configuredBy: ({ gitlabToken, gitlabPublishToken, gitlabUrl }) => {
    if (gitlabToken !== null) return 'GITLAB_TOKEN';
    if (gitlabPublishToken !== null) return 'GITLAB_PUBLISH_TOKEN';
    return gitlabUrl !== null ? 'GITLAB_URL' : null;
  },
  compose(request) {
    const { config, roles } = request;
    const { url, token } = credentialOf(request);
    const publishToken = config.gitlabPublishToken;
    return {
      connectors: () => [
        connector({
          url,
          token,
          confidential: config.gitlabConfidential,
          ...(publishToken === null ? {} : { publishToken: publishToken.reveal() }),
          ...onlyRole(roles),
          ...checkedRepositories(request),
        }),
      ],
      documents: {},
    };
  },
  async check({ gitlabUrl }, repositories) {
    const names = [...new Set(repositories.map(({ address }) => address))].join(', ');
    return [{ name: 'repository', ok: true, detail: `${names} on ${gitlabUrl ?? GITLAB_COM}` }];
  },
  issueEvents: {
    setting: 'GITLAB_WEBHOOK_SECRET',
    headers: {
      'webhook-signature':
        'By the Standard Webhooks rules, if GITLAB_WEBHOOK_SECRET is a signing token; with webhook-id and webhook-timestamp',
      'X-Gitlab-Token': 'GITLAB_WEBHOOK_SECRET, if it is a secret token',
      'X-Gitlab-Event':
        'Events other than `Issue Hook`, `Confidential Issue Hook` and `Merge Request Hook` are ignored',
    },
    compose: ({ gitlabWebhookSecret: secrets }) =>
      secrets.length === 0 ? null : gitlabWebhook({ secrets: secrets.map((one) => one.reveal()) }),
  },
  clockUrl: ({ gitlabUrl }) => gitlabUrl ?? GITLAB_COM,
};

function credentialOf({ config, repositories }: HostRequest): {
  readonly url: string;
  readonly token: string;
} {
  const { gitlabToken, gitlabUrl } = config;
  const refuse = (path: keyof Config & string, detail: string): never => {
    throw new CulpritError('configuration', detail, { path });
  };
  if (gitlabUrl !== null && isReadable(gitlabUrl) && !config.allowPlaintext)
    return refuse(
      'gitlabUrl',
      'GITLAB_URL must start with https:// because the token is sent there; ALLOW_PLAINTEXT=1 overrides this.',
    );
  if (gitlabToken === null)
    return refuse(
      'gitlabToken',
      `${repositories[0]?.address ?? 'gitlab:group/project'} is a project on GitLab, and GITLAB_TOKEN is not set.`,
    );
  return { url: gitlabUrl ?? GITLAB_COM, token: gitlabToken.reveal() };
}
