import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { github as connector, githubWebhook } from '@culprit/connectors/github';
import { githubSettings } from '@culprit/connectors/settings';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/network.js';
import { fromConnector, optionsOf } from '../../config/own-settings.js';
import { Secret } from '../../config/secret.js';
import {
  type Given,
  named,
  type ReadContext,
  refuse,
  type SettingType,
  setting,
} from '../../config/setting.js';
import { text } from '../../config/types.js';
import { demandPrivate, refused } from '../refused.js';
import { askedOf, type HostRequest, mirrorOf, namedOn, type RepositoryHost, webhookSecret } from './host.js';

const PEM = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** An RSA key as PEM, or the path of its file. In the text, `\\n` may stand for a line break, as in `.env` files. */
const privateKey: SettingType<Secret> = {
  format: 'path or PEM',
  secret: true,
  read(given, context) {
    const pem = PEM.test(given.text) ? given.text.replaceAll('\\n', '\n') : readPem(given, context);
    if (!isRsaKey(pem)) refuse(given, 'must be the private key that GitHub generated for the App (RSA, PEM)');
    return new Secret(pem);
  },
};

function readPem(given: Given, { cwd }: ReadContext): string {
  try {
    return readFileSync(resolve(cwd, given.text), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuse(given, `must be a PEM text or the path of a readable file (${code})`);
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const settings = named({
  ...fromConnector(githubSettings),
  githubAppId: setting(
    text('id or client id', /^(\d{1,12}|Iv[\w.]{4,60})$/, 'must be the id or client id of a GitHub App'),
    {
      meaning:
        'A GitHub App, instead of GITHUB_TOKEN. It must be installed on every repository that Culprit uses.',
    },
  ),
  githubAppKey: setting(privateKey, {
    meaning: 'The private key of GITHUB_APP_ID: the path of its .pem file, or the text of that file.',
  }),
  githubWebhookSecret: webhookSecret('github', 'GitHub'),
});

/** GitHub shows code and issues on its own pages, so core serves none. */
export const github: RepositoryHost<typeof settings> = {
  titles: { codeHost: 'GitHub', publisher: 'GitHub' },
  addresses: 'owner/name',
  guide: 'connectors/github.md',
  settings,
  scheme: 'github:',
  serverOf: (written) =>
    written('githubApiUrl')
      ?.replace('://api.', '://')
      .replace(/\/api\/v3\/?$/, '') ?? 'https://github.com',
  canonical: (rest) => rest,
  recognises: (address) => /^[\w-][\w.-]{0,99}\/[\w.-]{1,100}$/.test(address),
  setUpBy: ['githubToken', 'githubAppId', 'githubPublishToken'],
  compose(request) {
    const { config, tryWriting } = request;
    const app = appOf(request);
    checkUrl(config);
    const options = {
      ...optionsOf(githubSettings, config),
      ...(app && { app }),
      ...mirrorOf(request),
      tryWriting,
    };
    return {
      connectors: () => [connector({ ...options, ...askedOf(request), assignees: assigneesOf(request) })],
      documents: {},
    };
  },
  check: async (_config, repositories) => namedOn('GitHub', repositories),
  issueEvents: {
    secrets: 'githubWebhookSecret',
    headers: {
      'X-Hub-Signature-256': '`sha256=` and HMAC-SHA256 of the body with GITHUB_WEBHOOK_SECRET',
      'X-GitHub-Event': 'Events other than `issues` and `pull_request` are ignored',
    },
    open: githubWebhook,
  },
  clockUrl: ({ githubApiUrl }) => githubApiUrl ?? 'https://api.github.com',
};

/** For the connector's check: who is assigned in the repository that gets issues. */
function assigneesOf(request: HostRequest): string[] {
  const { publishRepository } = askedOf(request);
  const { config, repositories } = request;
  const assignees = repositories.flatMap(({ project, address, role }) =>
    role === 'publisher' && address === publishRepository ? (config.projects[project]?.assignees ?? []) : [],
  );
  return [...new Set(assignees)];
}

/** `null`: a token is used. Throws unless exactly one of them is set. */
function appOf({ config, repositories }: HostRequest) {
  const { githubToken: token, githubAppId: id, githubAppKey: key } = config;
  if (token !== null && id !== null)
    throw refused('githubAppId', 'GITHUB_TOKEN and GITHUB_APP_ID are both set. Unset one of them.');
  if ((id === null) !== (key === null))
    throw refused(
      id === null ? 'githubAppId' : 'githubAppKey',
      'GITHUB_APP_ID and GITHUB_APP_KEY belong together. Set both.',
    );
  if (id !== null && key !== null) return { id, privateKey: key.reveal() };
  if (token !== null) return null;
  const found = `${repositories[0]?.address ?? ''} is a repository on GitHub`;
  throw refused(
    'githubToken',
    config.githubPublishToken === null
      ? `${found}, and GITHUB_TOKEN is not set. Set it or GITHUB_APP_ID, or give the path of a local git repository.`
      : `${found}, and only GITHUB_PUBLISH_TOKEN is set. GITHUB_TOKEN or GITHUB_APP_ID is needed too.`,
  );
}

function checkUrl(config: Config): void {
  const { githubApiUrl: url } = config;
  if (url === null) return;
  demandPrivate(config, 'githubApiUrl', url, 'because the token is sent there');
  const { hostname, pathname } = new URL(url);
  if (!isLoopback(hostname) && !hostname.startsWith('api.') && !/\/api\/v3$/.test(pathname))
    throw refused(
      'githubApiUrl',
      `GITHUB_API_URL must end in /api/v3 on an Enterprise server, as in https://${hostname}/api/v3.`,
    );
}
