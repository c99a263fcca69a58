import { join } from 'node:path';
import { forgejo as connector, forgejoWebhook } from '@culprit/connectors/forgejo';
import { forgejoSettings } from '@culprit/connectors/settings';
import { fromConnector, optionsOf } from '../../config/own-settings.js';
import { named } from '../../config/setting.js';
import { demandPrivate, refused } from '../refused.js';
import { askedOf, namedOn, preparedOf, type RepositoryHost, webhookSecret } from './host.js';

const CODEBERG = 'https://codeberg.org';

const settings = named({
  ...fromConnector(forgejoSettings),
  forgejoWebhookSecret: webhookSecret('forgejo', 'Forgejo or Gitea'),
});

/** One server of Forgejo or Gitea, which shows code and issues on its own pages. */
export const forgejo: RepositoryHost<typeof settings> = {
  titles: { codeHost: 'Forgejo', publisher: 'Forgejo' },
  addresses: 'forgejo:owner/name',
  guide: 'connectors/forgejo.md',
  settings,
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
  setUpBy: ['forgejoToken', 'forgejoPublishToken', 'forgejoUrl'],
  compose(request) {
    const { config, repositories, tryWriting, serving } = request;
    const { forgejoToken, forgejoUrl: url } = config;
    const found = `${repositories[0]?.address ?? 'forgejo:owner/name'} is a repository on Forgejo`;
    if (url === null) throw refused('forgejoUrl', `${found}, and FORGEJO_URL is not set.`);
    demandPrivate(config, 'forgejoUrl', url, 'because the token is sent there');
    if (forgejoToken === null) throw refused('forgejoToken', `${found}, and FORGEJO_TOKEN is not set.`);
    const options = {
      ...optionsOf(forgejoSettings, config),
      ...{ url, token: forgejoToken.reveal(), tryWriting },
      mirrorDirectory: config.mirror ?? join(config.dataDirectory, 'mirrors'),
      buildGraphs: serving,
      repositories: preparedOf(request),
      ...askedOf(request),
    };
    return { connectors: () => [connector(options)], documents: {} };
  },
  check: async ({ forgejoUrl }, repositories) => namedOn(String(forgejoUrl), repositories),
  issueEvents: {
    secrets: 'forgejoWebhookSecret',
    headers: {
      'X-Forgejo-Signature':
        'HMAC-SHA256 of the body with FORGEJO_WEBHOOK_SECRET, hexadecimal; or X-Gitea-Signature',
      'X-Forgejo-Event': 'Events other than `issues` and `pull_request` are ignored; or X-Gitea-Event',
    },
    open: forgejoWebhook,
  },
  clockUrl: ({ forgejoUrl }) => forgejoUrl ?? CODEBERG,
};
