#!/usr/bin/env node
import { readArguments, serveUntilStopped } from '../shared/process.js';
import type { DoubleToken } from './options.js';
import { startGithubDouble } from './server.js';

const RIGHTS: readonly string[] = ['metadata', 'contents', 'issues', 'pull_requests', 'deployments'];

/** `--token TOKEN=user:contents=read,issues=write` */
function tokenOf(user: string, rights: readonly string[]): DoubleToken {
  const pairs = rights.map((right) => right.split('='));
  for (const [right = '', level = ''] of pairs)
    if (!RIGHTS.includes(right) || !['read', 'write'].includes(level))
      throw new Error(`unknown permission ${right}=${level} in --token; valid names: ${RIGHTS.join(', ')}`);
  return { user, permissions: Object.fromEntries(pairs) };
}

const double = await startGithubDouble(readArguments(tokenOf, ['lag', 'no-limits', 'enterprise']));
const { url, graphqlUrl, port } = double;
serveUntilStopped(double, { url, graphql_url: graphqlUrl, port });
