import { defineConnector } from '@culprit/core';
import { checkGithub, keptWhileGood } from './check.js';
import { githubClient } from './client.js';
import { GithubCodeHost } from './code-host.js';
import { githubConfig, webUrl } from './config.js';
import { GithubPublisher } from './publisher.js';

/**
 * GitHub and GitHub Enterprise as code host and publisher. One token reads; the same or a second one writes issues.
 * Needs Contents: read, Metadata: read and Issues: write.
 */
export const github = defineConnector({
  id: 'github',
  config: githubConfig,
  setup: (config, { fetch, values, logger }) => {
    const reader = githubClient({ token: config.token, config, fetch });
    const writer = config.publishToken ? githubClient({ token: config.publishToken, config, fetch }) : reader;
    const { only, repository, publishRepository = repository, tryWriting } = config;
    return {
      ...(only === 'publisher'
        ? {}
        : { codeHost: new GithubCodeHost(reader, webUrl(config.apiUrl), { values, logger }) }),
      ...(only === 'codeHost' ? {} : { publisher: new GithubPublisher(writer) }),
      check: keptWhileGood((signal) =>
        checkGithub(
          {
            reader,
            writer,
            repository: only === 'publisher' ? undefined : repository,
            publishRepository: only === 'codeHost' ? undefined : publishRepository,
            tryWriting,
          },
          signal,
        ),
      ),
    };
  },
});
