import type { MirrorSource } from '../git/index.js';
import { askGraphql, membersOf, read, targetOf } from './ask.js';
import type { GithubClient } from './client.js';
import type { Credential } from './policy.js';
import { SOURCE_QUERY } from './queries.js';
import { repositorySource } from './schema.js';

/** Where git fetches a repository, and its size. Renamed ones are found. The token of a user or an App is the password. */
export async function mirrorSource(
  client: GithubClient,
  web: string,
  credential: Credential,
  repository: string,
): Promise<MirrorSource> {
  const target = targetOf(client, repository, new AbortController().signal);
  const answer = membersOf(await askGraphql(target, SOURCE_QUERY, {}));
  const { nameWithOwner, diskUsage, defaultBranchRef } = read(repositorySource, answer);
  const token = await credential.token(repository, target.signal);
  return {
    url: `${web}/${nameWithOwner}.git`,
    authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    branch: defaultBranchRef?.name ?? 'main',
    format: 'sha1',
    megabytes: (diskUsage ?? 0) / 1_000,
  };
}
