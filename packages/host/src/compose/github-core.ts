import { github } from '@culprit/connectors/github';
import { CulpritError } from '@culprit/core';
import { type Config, isLoopback } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/formats.js';
import type { Secret } from '../config/secret.js';
import type { CoreParts } from './core-parts.js';
import { composeExplainers } from './explainers.js';
import { composeStorage } from './storage.js';

const NAME = /^[\w.-]{1,100}\/[\w.-]{1,100}$/;

/** GitHub is the code host and the publisher. Its pages show code and issues, so core shows none of its own. */
export function composeGithub(config: Config, token: Secret, tryWriting = false): CoreParts {
  const { publishToken } = config.github;
  const { repository, publishRepository } = checkedRepositories(config);
  const apiUrl = config.github.apiUrl === null ? null : checkedUrl(config.github.apiUrl, config);
  return {
    connectors: () => [
      composeStorage(config),
      github({
        token: token.reveal(),
        tryWriting,
        ...(publishToken === null ? {} : { publishToken: publishToken.reveal() }),
        ...(apiUrl === null ? {} : { apiUrl }),
        ...(repository === undefined ? {} : { repository }),
        ...(publishRepository === undefined ? {} : { publishRepository }),
      }),
      ...composeExplainers(config),
    ],
    documents: {},
  };
}

/** Every repository is `owner/name`; the default project's, or the first, is the one that `doctor` tries. */
function checkedRepositories({ projects }: Config): {
  readonly repository?: string;
  readonly publishRepository?: string;
} {
  const all = Object.entries(projects);
  for (const [name, { repository, publishRepository }] of all) {
    for (const one of [repository, publishRepository]) {
      if (one === undefined || NAME.test(one)) continue;
      throw new CulpritError(
        'configuration',
        `GITHUB_TOKEN makes GitHub the code host, and REPOSITORY of project ${name} is not owner/name. Write it so, or unset GITHUB_TOKEN to use a local repository.`,
        { path: 'repository' },
      );
    }
  }
  const told = all.filter(([, project]) => (project.publishRepository ?? project.repository) !== undefined);
  const [, found] = told.find(([name]) => name === DEFAULT_PROJECT) ?? told[0] ?? [];
  if (found === undefined) {
    throw new CulpritError(
      'configuration',
      'GITHUB_TOKEN is set and no repository is. Set REPOSITORY=owner/name: it is blamed, and its issues are written.',
      { path: 'repository' },
    );
  }
  const { repository, publishRepository } = found;
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(publishRepository === undefined ? {} : { publishRepository }),
  };
}

function checkedUrl(apiUrl: string, { allowPlaintext }: Config): string {
  const { protocol, hostname, pathname } = new URL(apiUrl);
  const refuse = (problem: string): never => {
    throw new CulpritError('configuration', `GITHUB_API_URL ${problem}.`, { path: 'githubApiUrl' });
  };
  if (protocol === 'http:' && !isLoopback(hostname) && !allowPlaintext)
    return refuse(
      'must begin with https:// because the token is sent there; ALLOW_PLAINTEXT=1 overrides this',
    );
  if (!isLoopback(hostname) && !hostname.startsWith('api.') && !/\/api\/v3$/.test(pathname))
    return refuse(`must end in /api/v3 on an Enterprise server, as in https://${hostname}/api/v3`);
  return apiUrl;
}
