import { github as connector, githubWebhook } from '@culprit/connectors/github';
import { CulpritError } from '@culprit/core';
import type { Config } from '../../../config/config.js';
import { isLoopback, isReadable } from '../../../config/network.js';
import { checkedRepositories, onlyRole } from '../checked.js';
import type { HostRequest, RepositoryHost } from '../host.js';
import { githubSettings } from './settings.js';

/** GitHub shows code and issues on its own pages, so core serves none. */
export const github: RepositoryHost<typeof githubSettings> = {
  titles: { codeHost: 'GitHub', publisher: 'GitHub' },
  addresses: 'owner/name',
  guide: 'connectors/github.md',
  settings: githubSettings,
  scheme: 'github:',
  serverOf: (written) =>
    written('githubApiUrl')
      ?.replace('://api.', '://')
      .replace(/\/api\/v3\/?$/, '') ?? 'https://github.com',
  canonical: (rest) => rest,
  recognises: (address) => /^[\w-][\w.-]{0,99}\/[\w.-]{1,100}$/.test(address),
  configuredBy: ({ githubToken, githubAppId, githubPublishToken }) => {
    if (githubToken !== null) return 'GITHUB_TOKEN';
    if (githubAppId !== null) return 'GITHUB_APP_ID';
    return githubPublishToken !== null ? 'GITHUB_PUBLISH_TOKEN' : null;
  },
  compose(request) {
    const { config, roles, tryWriting } = request;
    const {
      githubPublishToken: publishToken,
      githubAgentToken: agentToken,
      githubIssueType: issueType,
    } = config;
    const credential = credentialOf(request);
    const apiUrl = checkedUrl(config);
    return {
      connectors: () => [
        connector({
          ...credential,
          tryWriting,
          ...onlyRole(roles),
          ...(publishToken === null ? {} : { publishToken: publishToken.reveal() }),
          ...(agentToken === null ? {} : { agentToken: agentToken.reveal() }),
          ...(apiUrl === null ? {} : { apiUrl }),
          ...(issueType === null ? {} : { issueType }),
          ...checked(request),
        }),
      ],
      documents: {},
    };
  },
  async check(_config, repositories) {
    const names = [...new Set(repositories.map(({ address }) => address))].join(', ');
    return [{ name: 'repository', ok: true, detail: `${names} on GitHub` }];
  },
  issueEvents: {
    setting: 'GITHUB_WEBHOOK_SECRET',
    headers: {
      'X-Hub-Signature-256': '`sha256=` and HMAC-SHA256 of the body with GITHUB_WEBHOOK_SECRET',
      'X-GitHub-Event': 'Events other than `issues` and `pull_request` are ignored',
    },
    compose: ({ githubWebhookSecret: secrets }) =>
      secrets.length === 0 ? null : githubWebhook({ secrets: secrets.map((one) => one.reveal()) }),
  },
  clockUrl: ({ githubApiUrl }) => githubApiUrl ?? 'https://api.github.com',
};

/** What the connector's check uses: repositories, and the assignees of the one that gets issues. */
function checked(request: HostRequest) {
  const { config, repositories } = request;
  const found = checkedRepositories(request);
  const assignees = repositories.flatMap(({ project, address, role }) =>
    role === 'publisher' && address === found.publishRepository
      ? (config.projects[project]?.assignees ?? [])
      : [],
  );
  return { assignees: [...new Set(assignees)], ...found };
}

/** A token or an App, as the connector expects it. */
function credentialOf(request: HostRequest) {
  const { githubToken: token, githubAppId: id, githubAppKey: key } = request.config;
  if (token !== null && id !== null)
    throw new CulpritError(
      'configuration',
      'GITHUB_TOKEN and GITHUB_APP_ID are both set. Unset one of them.',
      {
        path: 'githubAppId',
      },
    );
  if ((id === null) !== (key === null))
    throw new CulpritError('configuration', 'GITHUB_APP_ID and GITHUB_APP_KEY belong together. Set both.', {
      path: id === null ? 'githubAppId' : 'githubAppKey',
    });
  if (id !== null && key !== null) return { app: { id, privateKey: key.reveal() } };
  if (token === null) throw missingToken(request);
  return { token: token.reveal() };
}

function missingToken({ config, repositories }: HostRequest): CulpritError {
  const found = repositories[0]?.address ?? '';
  const detail =
    config.githubPublishToken === null
      ? `${found} is a repository on GitHub, and GITHUB_TOKEN is not set. Set it or GITHUB_APP_ID, or give the path of a local git repository.`
      : `${found} is a repository on GitHub, and only GITHUB_PUBLISH_TOKEN is set. GITHUB_TOKEN or GITHUB_APP_ID is needed too.`;
  return new CulpritError('configuration', detail, { path: 'githubToken' });
}

function checkedUrl({ githubApiUrl: apiUrl, allowPlaintext }: Config): string | null {
  if (apiUrl === null) return null;
  const { hostname, pathname } = new URL(apiUrl);
  const refuse = (problem: string): never => {
    throw new CulpritError('configuration', `GITHUB_API_URL ${problem}.`, { path: 'githubApiUrl' });
  };
  if (isReadable(apiUrl) && !allowPlaintext)
    return refuse(
      'must start with https:// because the token is sent there; ALLOW_PLAINTEXT=1 overrides this',
    );
  if (!isLoopback(hostname) && !hostname.startsWith('api.') && !/\/api\/v3$/.test(pathname))
    return refuse(`must end in /api/v3 on an Enterprise server, as in https://${hostname}/api/v3`);
  return apiUrl;
}
