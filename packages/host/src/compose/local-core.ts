import { join } from 'node:path';
import { git, outbox, outboxPages, readSource } from '@culprit/connectors/git';
import { CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';
import type { CoreParts } from './core-parts.js';
import { composeExplainers } from './explainers.js';
import { type LocalRepositories, localRepositories, repositoriesFor } from './local-code.js';
import { composeStorage } from './storage.js';

/** No account and no network: a local git repository is the code host, an outbox of files the publisher. */
export function composeLocal(config: Config, otherCodeHost = false): CoreParts {
  if (config.github.publishToken !== null) {
    throw new CulpritError(
      'configuration',
      'GITHUB_PUBLISH_TOKEN is the second token; set GITHUB_TOKEN too, or unset both to use the local outbox.',
      { path: 'githubPublishToken' },
    );
  }
  const repositories: LocalRepositories = otherCodeHost ? new Map() : localRepositories(config);
  const directory = join(config.dataDirectory, 'outbox');
  return {
    connectors: (publicUrl) => [
      composeStorage(config),
      git({ links: { line: `${publicUrl}/code/default/{sha}/{path}#L{line}` } }),
      outbox({ directory, baseUrl: publicUrl }),
      ...composeExplainers(config),
    ],
    documents: {
      ...outboxPages({ directory }),
      source: (project, sha, path, signal) => readFirst(repositories, project, sha, path, signal),
    },
  };
}

async function readFirst(
  repositories: LocalRepositories,
  project: string,
  sha: string,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  for (const repository of repositoriesFor(repositories, project)) {
    const text = await readSource(repository, sha, path, signal);
    if (text !== null) return text;
  }
  return null;
}
