import { CulpritError, isCulpritError } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import type { GitlabAnswer, GitlabClient, Parameters } from './client.js';
import { ADDRESS } from './config.js';
import { codeHostError, requestFailure, TO_READ, unreadable } from './errors.js';
import { type RequestFailure, TOO_LARGE } from './request-failure.js';
import { file as fileSchema } from './schema.js';

/** A project, the client that reads it, and the caller's signal. */
export interface Target {
  readonly client: GitlabClient;
  /** `gitlab:group/project`. */
  readonly repository: string;
  /** `group/project`, which the API takes instead of the number. */
  readonly id: string;
  readonly signal: AbortSignal;
}

export function targetOf(client: GitlabClient, repository: string, signal: AbortSignal): Target {
  signal.throwIfAborted();
  if (!ADDRESS.test(repository))
    throw new CulpritError(
      'repository_not_found',
      `"${repository.slice(0, 100)}" is not an address of the form gitlab:group/project.`,
    );
  return { client, repository, id: repository.slice('gitlab:'.length), signal };
}

/** One request, with failures translated. */
export async function ask(
  target: Target,
  route: string,
  parameters: Parameters,
  need = TO_READ,
): Promise<GitlabAnswer> {
  const { client, id, repository, signal } = target;
  try {
    return await client.rest(route, { id, ...parameters }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw codeHostError(requestFailure(error), repository, need);
  }
}

const isNothing = ({ status, message }: RequestFailure) =>
  status === 400 || (status === 404 && !/project not found/i.test(message));

/**
 * As {@link ask}, but `null` if the requested object does not exist. GitLab answers 404 alike for an object and for the project, and
 * names which; a hidden project rejects.
 */
export async function askOrNull(
  target: Target,
  route: string,
  parameters: Parameters,
): Promise<GitlabAnswer | null> {
  const { client, id, repository, signal } = target;
  try {
    return await client.rest(route, { id, ...parameters }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const failure = requestFailure(error);
    if (isNothing(failure)) return null;
    throw codeHostError(failure, repository, TO_READ);
  }
}

/** A file at a revision that exists: its bytes, `null` if there is none, or `too_large`. */
export async function fileAt(
  target: Target,
  sha: string,
  path: string,
): Promise<Buffer | 'too_large' | null> {
  const { client, id, repository, signal } = target;
  const of = { id, file_path: path, ref: sha };
  try {
    const { data } = await client.rest('GET /projects/{id}/repository/files/{file_path}', of, signal);
    return Buffer.from(read(fileSchema, data, unreadable).content, 'base64');
  } catch (error) {
    signal.throwIfAborted();
    if (isCulpritError(error)) throw error;
    const failure = requestFailure(error);
    if (failure.status === TOO_LARGE) return 'too_large';
    if (isNothing(failure)) return null;
    throw codeHostError(failure, repository, TO_READ);
  }
}

/** Where the next page is: the parameters that the `Link` header adds; `null` on the last page. */
export function nextPage({ headers }: GitlabAnswer): Parameters | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(headers.link ?? '')?.[1];
  if (address === undefined || !URL.canParse(address)) return null;
  const { searchParams } = new URL(address);
  const at = ['page', 'page_token', 'cursor'].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return at.length === 0 ? null : Object.fromEntries(at);
}

/** Requests under way at once for one question about many objects. */
const AT_ONCE = 6;

/** Asks about each item, a few at a time, and keeps their order. */
export async function each<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  return answers;
}
