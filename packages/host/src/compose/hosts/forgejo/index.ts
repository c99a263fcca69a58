import { join } from 'node:path';
import { forgejo as connector, forgejoWebhook } from '@culprit/connectors/forgejo';
import { CulpritError } from '@culprit/core';
import type { Config } from '../../../config/config.js';
import { isReadable } from '../../../config/network.js';
import { checkedRepositories, onlyRole } from '../checked.js';
import type { HostRequest, RepositoryHost } from '../host.js';
import { forgejoSettings } from './settings.js';

const CODEBERG = 'https://codeberg.org';

/** One server of Forgejo or Gitea, which shows code and issues on its own pages. */
export const forgejo: RepositoryHost<typeof forgejoSettings> = {
  titles: { codeHost: 'Forgejo', publisher: 'Forgejo' },
  addresses: 'forgejo:owner/name',
  guide: 'connectors/forgejo.md',
  settings: forgejoSettings,
  scheme: 'forgejo:',
  aliases: ['gitea:'],
  questions: [
    {
      key: 'forgejoUrl',
      flag: 'forgejo-url',
      ask: 'Address of the Forgejo or Gitea server, such as https://code.example.org',
      required: 'A repository on Forgejo needs the address of its server',
    },
    { key: 'forgejoToken', ask: 'Forgejo access token', required: 'A repository on Forgejo needs a token' },
  ],
  serverOf: (written) => written('forgejoUrl') ?? CODEBERG,
  canonical: (rest) => `forgejo:${rest}`,
  recognises: (address) => /^forgejo:(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/.test(address),
  configuredBy: ({ forgejoToken, forgejoPublishToken, forgejoUrl }) => {
    if (forgejoToken !== null) return 'FORGEJO_TOKEN';
    if (forgejoPublishToken !== null) return 'FORGEJO_PUBLISH_TOKEN';
    return forgejoUrl !== null ? 'FORGEJO_URL' : null;
  },
  compose(request) {
    const { config, roles, repositories, tryWriting, serving } = request;
    const { url, token } = credentialOf(request);
    const code = repositories.filter(({ role }) => role === 'codeHost').map(({ address }) => address);
    const publishToken = config.forgejoPublishToken;
    return {
      connectors: () => [
        connector({
          url,
          token,
          tryWriting,
          mirrorDirectory: join(config.dataDirectory, 'mirrors'),
          buildGraphs: serving,
          repositories: serving ? [...new Set(code)] : [],
          ...(publishToken === null ? {} : { publishToken: publishToken.reveal() }),
          ...onlyRole(roles),
          ...checkedRepositories(request),
        }),
      ],
      documents: {},
    };
  },
  async check({ forgejoUrl }, repositories) {
    const names = [...new Set(repositories.map(({ address }) => address))].join(', ');
    return [{ name: 'repository', ok: true, detail: `${names} on ${forgejoUrl}` }];
  },
  issueEvents: {
    setting: 'FORGEJO_WEBHOOK_SECRET',
    headers: {
      'X-Forgejo-Signature':
        'HMAC-SHA256 of the body with FORGEJO_WEBHOOK_SECRET, hexadecimal; or X-Gitea-Signature',
      'X-Forgejo-Event': 'Events other than `issues` and `pull_request` are ignored; or X-Gitea-Event',
    },
    compose: ({ forgejoWebhookSecret: secrets }) =>
      secrets.length === 0 ? null : forgejoWebhook({ secrets: secrets.map((one) => one.reveal()) }),
  },
  clockUrl: ({ forgejoUrl }) => forgejoUrl ?? CODEBERG,
};

function credentialOf({ config, repositories }: HostRequest): {
  readonly url: string;
  readonly token: string;
} {
  const { forgejoToken, forgejoUrl } = config;
  const found = repositories[0]?.address ?? 'forgejo:owner/name';
  const refuse = (path: keyof Config & string, detail: string): never => {
    throw new CulpritError('configuration', detail, { path });
  };
  if (forgejoUrl === null)
    return refuse('forgejoUrl', `${found} is a repository on Forgejo, and FORGEJO_URL is not set.`);
  if (isReadable(forgejoUrl) && !config.allowPlaintext)
    return refuse(
      'forgejoUrl',
      'FORGEJO_URL must start with https:// because the token is sent there; ALLOW_PLAINTEXT=1 overrides this.',
    );
  if (forgejoToken === null)
    return refuse('forgejoToken', `${found} is a repository on Forgejo, and FORGEJO_TOKEN is not set.`);
  return { url: forgejoUrl, token: forgejoToken.reveal() };
}
