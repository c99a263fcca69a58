import { CulpritError } from '@culprit/core';
import type { Subject } from '../shared/hosts/errors.js';
import { retryAfterMs } from '../shared/hosts/failure.js';
import type { GithubClient, GraphqlAnswer, GraphqlError } from './client.js';
import { answered, asksToWait, isUnavailable, MAY_BE_PENDING, refusalOf } from './errors.js';
import type { Asked } from './policy.js';

/** A repository (`owner/name`), the client that reads it, and the caller's signal. */
export interface Target extends Subject {
  readonly client: GithubClient;
  /** Parameters of every REST request about it. */
  readonly at: { readonly owner: string; readonly repo: string; readonly request: Asked };
}

export function targetOf(client: GithubClient, repository: string, signal: AbortSignal): Target {
  signal.throwIfAborted();
  const [owner, repo, more] = repository.split('/');
  if (!owner || !repo || more !== undefined)
    throw new CulpritError(
      'repository_not_found',
      `"${repository.slice(0, 100)}" is not a GitHub repository of the form owner/name.`,
    );
  return { client, repository, signal, at: { owner, repo, request: { repository, signal } } };
}

type Variables = Readonly<Record<string, unknown>>;

/** One GraphQL request. Partial data is returned with its errors; rate limits and refusals are thrown. */
export async function askGraphql(
  target: Target,
  query: string,
  variables: Variables,
): Promise<GraphqlAnswer> {
  const { client, at, repository } = target;
  const of = { owner: at.owner, name: at.repo, ...variables };
  const answer = await answered(target, client.graphql(query, of, at.request));
  if (asksToWait(answer.errors))
    throw new CulpritError('code_host_unavailable', 'GitHub’s rate limit is exceeded.', {
      retryAfterMs: retryAfterMs(answer, Date.now()),
    });
  const missing = answer.data?.repository === null || answer.data?.repository === undefined;
  if (missing && !isResourceLimit(answer.errors)) throw wholeFailure(answer, repository);
  return answer;
}

/** The members of the repository in a response. */
export function membersOf({ data }: GraphqlAnswer): Variables {
  return (data?.repository ?? {}) as Variables;
}

/** Variables with numbered names, such as `t0` and `t1`. */
export function numbered(name: string, values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, index) => [`${name}${index}`, value]));
}

interface Part<Item, Answer> {
  readonly items: readonly Item[];
  readonly answer: Answer;
}

/** One question about many items, halved while its answer is `null` because it is too large, down to single items. */
export async function inHalves<Item, Answer>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<Answer | null>,
): Promise<readonly Part<Item, Answer | null>[]> {
  const answer = await ask(items);
  if (answer !== null || items.length < 2) return [{ items, answer }];
  const middle = Math.ceil(items.length / 2);
  return [...(await inHalves(items.slice(0, middle), ask)), ...(await inHalves(items.slice(middle), ask))];
}

/** As {@link inHalves}. A single item that still is too large is omitted. */
export async function askInHalves<Item>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<GraphqlAnswer>,
): Promise<readonly Part<Item, GraphqlAnswer>[]> {
  if (items.length === 0) return [];
  const parts = await inHalves(items, async (some) => {
    try {
      const answer = await ask(some);
      return isResourceLimit(answer.errors) ? null : answer;
    } catch (error) {
      if (isUnavailable(error, 'overload')) return null;
      throw error;
    }
  });
  return parts.flatMap(({ items, answer }) => (answer === null ? [] : [{ items, answer }]));
}

/** True if the query exceeded GitHub's resource limits; a smaller one may succeed. */
export function isResourceLimit(errors: readonly GraphqlError[]): boolean {
  return errors.some(
    ({ type, message }) =>
      type === 'RESOURCE_LIMITS_EXCEEDED' ||
      /something went wrong while executing your query|may be the result of a timeout/i.test(message),
  );
}

/** The response contains nothing of the repository: it is hidden, or the whole query failed. */
function wholeFailure({ errors }: GraphqlAnswer, repository: string): CulpritError {
  const first = errors.find(({ path }) => path === undefined || path.length <= 1);
  if (first?.type === 'NOT_FOUND') {
    const detail = `GitHub does not show ${repository}. Check the name, and that the token may see it (Metadata: read). ${MAY_BE_PENDING}`;
    return new CulpritError('repository_not_found', detail);
  }
  if (first?.type === 'FORBIDDEN') return lacksContents(repository, first.message);
  // An older Enterprise Server has not every field.
  if (/^Field '\w+' doesn't exist on type/.test(errors[0]?.message ?? ''))
    return new CulpritError('code_host_unavailable', 'This GitHub is too old for the query.', {
      reason: 'schema',
    });
  const reason = first === undefined ? 'no data' : first.message.slice(0, 200);
  return new CulpritError('code_host_unavailable', `GitHub could not execute the query (${reason}).`);
}

/** A member that GitHub refuses in a GraphQL response: a permission is missing, or the organisation forbids the access. */
export function lacksContents(repository: string, reported: string): CulpritError {
  const refusal = refusalOf({ status: 403, message: reported, headers: {} }, repository);
  if (refusal !== null) return new CulpritError('code_host_forbidden', refusal);
  const detail = `The token lacks a permission on ${repository}: it needs Contents: read. (GitHub: ${reported.slice(0, 200)})`;
  return new CulpritError('code_host_forbidden', detail);
}
