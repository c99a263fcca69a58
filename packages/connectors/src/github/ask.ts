import { CulpritError } from '@culprit/core';
import type { GithubClient, GraphqlAnswer, RestAnswer } from './client.js';
import { asksToWait, codeHostError, httpFailure, retryAfterMs } from './errors.js';

/** A repository and who waits for the answer. */
export interface RepositoryName {
  readonly client: GithubClient;
  /** `owner/name`. */
  readonly repository: string;
  readonly owner: string;
  readonly repo: string;
  readonly signal: AbortSignal;
}

export function repositoryName(
  client: GithubClient,
  repository: string,
  signal: AbortSignal,
): RepositoryName {
  const [owner, repo, more] = repository.split('/');
  if (!owner || !repo || more !== undefined) {
    throw new CulpritError(
      'repository_not_found',
      `"${repository.slice(0, 100)}" is not owner/name on GitHub.`,
    );
  }
  return { client, repository, owner, repo, signal };
}

/** One REST question with failures translated. */
export async function askRest(
  place: RepositoryName,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<RestAnswer> {
  const { client, owner, repo, repository, signal } = place;
  try {
    return await client.rest(route, { owner, repo, ...parameters }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw codeHostError(httpFailure(error), repository, 'Contents: read', Date.now());
  }
}

/** The same, with `null` where the thing (not the repository) is not there. */
export async function askRestOrNull(
  place: RepositoryName,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<RestAnswer | null> {
  const { client, owner, repo, repository, signal } = place;
  try {
    return await client.rest(route, { owner, repo, ...parameters }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const failure = httpFailure(error);
    if ([404, 409, 422].includes(failure.status)) return null;
    throw codeHostError(failure, repository, 'Contents: read', Date.now());
  }
}

/** One GraphQL question. Partial data comes back with its errors; waits and refusals are raised. */
export async function askGraphql(
  place: RepositoryName,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<GraphqlAnswer> {
  const { client, owner, repo, repository, signal } = place;
  let answer: GraphqlAnswer;
  try {
    answer = await client.graphql(query, { owner, name: repo, ...variables }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw codeHostError(httpFailure(error), repository, 'Contents: read', Date.now());
  }
  if (asksToWait(answer.errors))
    throw new CulpritError('code_host_unavailable', 'GitHub asks to wait: the rate limit is used up.', {
      retryAfterMs: retryAfterMs(answer, Date.now()),
    });
  if (answer.data?.repository === null || answer.data?.repository === undefined)
    raiseWhole(answer, repository);
  return answer;
}

/** Nothing of the repository came: because it is not shown, or because the question failed as a whole. */
function raiseWhole({ errors }: GraphqlAnswer, repository: string): void {
  const first = errors.find(({ path }) => path === undefined || path.length <= 1);
  if (first?.type === 'NOT_FOUND') {
    const detail = `GitHub shows no ${repository}. Check the name, and that the token may see it (Metadata: read).`;
    throw new CulpritError('repository_not_found', detail);
  }
  if (first?.type === 'FORBIDDEN') throw lacksContents(repository, first.message);
}

export function lacksContents(repository: string, said: string): CulpritError {
  const detail = `The token lacks a right on ${repository}: it needs Contents: read. (GitHub: ${said.slice(0, 200)})`;
  return new CulpritError('code_host_forbidden', detail);
}

export function unreadable(): CulpritError {
  return new CulpritError('code_host_unavailable', "GitHub's answer has an unknown shape.");
}
