import type { CodeHost } from '@culprit/core/connector';
import { createGit, type Git } from './client.js';
import { createGitCodeHost } from './code-host.js';
import type { GitConfig } from './config.js';
import { createGraphBuilder, createGraphs, NO_GRAPHS } from './graphs.js';

/** Reads local repositories by their paths. */
export function openGit(config: GitConfig): {
  readonly client: Git;
  readonly codeHost: CodeHost;
  close(): Promise<void>;
} {
  const { graphDirectory, buildGraphs } = config;
  const graphs = graphDirectory === undefined ? NO_GRAPHS : createGraphs(graphDirectory);
  const client = createGit(config, { graphs });
  const builder = createGraphBuilder(client, buildGraphs ? graphs : NO_GRAPHS);
  for (const repository of config.repositories) builder.now(repository);
  return {
    client,
    codeHost: createGitCodeHost(client, config, builder.soon),
    close: async () => {
      await builder.close();
      await client.close();
    },
  };
}
