import { CulpritError } from '@culprit/core/connector';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import {
  nextPage,
  type Parameters,
  pagesOf,
  type RestAnswer,
  type RestClient,
  restClient,
} from '../shared/hosts/client.js';
import { hostErrors, Limits, requestFailure, type Subject } from '../shared/hosts/errors.js';
import { ADDRESS, type GitlabConfig } from './config.js';
import { file as fileSchema } from './schema.js';

const isRateLimit = ({ status }: { readonly status: number }) => status === 429;

const TO_READ = 'scope read_api, and at least the role Reporter';

export const errors = hostErrors({
  name: 'GitLab',
  needs: { code: TO_READ, issues: TO_READ, write: 'scope api, and at least the role Reporter' },
  isRateLimit,
  badToken({ message }) {
    const known = ['expired', 'revoked'].find((why) => message.toLowerCase().includes(why));
    return `GitLab rejects the token: it is ${known ?? 'invalid, revoked or expired'}. Create a new one.`;
  },
  // `insufficient_scope` is about the token, any other refusal about its user's role.
  forbidden: ({ message }, repository, need) =>
    `The token lacks a permission on ${repository}: it needs ${need}. (GitLab: ${message})`,
  notShown: (repository, need) =>
    `GitLab does not show ${repository}. Check the name, and that the token may see it (${need}).`,
  hiding: [404],
  // GitLab answers 404 alike for an object and for the project, and names which.
  isNothing: ({ status, message }) =>
    status === 400 || (status === 404 && !/project not found/i.test(message)),
  unread: (failure) =>
    isTooLarge(failure)
      ? new CulpritError('code_host_unavailable', 'The response of GitLab is too large.', {
          retryable: false,
        })
      : null,
  rejecting: [400, 405, 422],
  // With 409: nothing was created.
  uncreated: ({ captcha }, _repository, what) =>
    captcha
      ? `GitLab treats the ${what} as spam and asks for a captcha, which only a person in a browser can solve. Ask an administrator to mark the token’s user as trusted, or write the issue manually.`
      : null,
});

export const { answered, answeredOrNull, read } = errors;

function isTooLarge({ status, tooLarge }: { readonly status: number; readonly tooLarge?: boolean }): boolean {
  return status === 413 || tooLarge === true;
}

export interface GitlabClient extends RestClient {
  /** The `data` of a GraphQL query; `null` if it failed. */
  graphql(query: string, variables: Parameters, signal: AbortSignal): Promise<unknown>;
}

/** The interfaces of one server share one limit. */
export function gitlabClient(
  token: string,
  { url, timeoutMs }: Pick<GitlabConfig, 'url' | 'timeoutMs'>,
  fetch: typeof globalThis.fetch,
): GitlabClient {
  const limits = new Limits(isRateLimit);
  const client = restClient({ api: `${url}/api/v4`, token, scheme: 'Bearer', timeoutMs, fetch, limits });
  return {
    ...client,
    async graphql(query, variables, signal) {
      const { data } = await client.send('POST', `${url}/api/graphql`, { query, variables }, signal);
      return Object(data).data ?? null;
    },
  };
}

/** A project, the client that reads it, and the caller's signal. */
export interface Target extends Subject {
  readonly client: GitlabClient;
  /** `group/project`, which the API takes instead of the number. */
  readonly id: string;
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

/** One request, with its failure as it is. */
export function send(target: Target, route: string, parameters: Parameters): Promise<RestAnswer> {
  const { client, id, signal } = target;
  return client.rest(route, { id, ...parameters }, signal);
}

/** One request, with failures translated. */
export function ask(target: Target, route: string, parameters: Parameters): Promise<RestAnswer> {
  return answered(target, send(target, route, parameters));
}

/** As {@link ask}, but `null` if the requested object does not exist; a hidden project rejects. */
export function askOrNull(target: Target, route: string, parameters: Parameters): Promise<RestAnswer | null> {
  return answeredOrNull(target, send(target, route, parameters));
}

/** The pages of a list. */
export function pages(target: Target, route: string, parameters: Parameters): AsyncGenerator<RestAnswer> {
  return pagesOf((next) => ask(target, route, { ...parameters, ...next }));
}

/** The first pages of a list; `more`: it has others. `null`: what is listed does not exist. */
export async function firstPages(
  target: Target,
  route: string,
  parameters: Parameters,
  most: number,
): Promise<{ readonly pages: readonly unknown[]; readonly more: boolean } | null> {
  const found: unknown[] = [];
  let next: Parameters | null = {};
  while (next !== null && found.length < most) {
    const answer: RestAnswer | null = await askOrNull(target, route, { ...parameters, ...next });
    if (answer === null) return null;
    found.push(answer.data);
    next = nextPage(answer, found.length + 1);
  }
  return { pages: found, more: next !== null };
}

/** A file at a revision that exists: its bytes, `null` if there is none, or `too_large`. */
export async function fileAt(
  target: Target,
  sha: string,
  path: string,
): Promise<Buffer | 'too_large' | null> {
  const of = { file_path: path, ref: sha };
  const asked = send(target, 'GET /projects/{id}/repository/files/{file_path}', of).catch((error) => {
    if (isTooLarge(requestFailure(error))) return 'too_large' as const;
    throw error;
  });
  const answer = await answeredOrNull(target, asked);
  if (answer === null || answer === 'too_large') return answer;
  return Buffer.from(read(fileSchema, answer.data).content, 'base64');
}

/** Requests under way at once for one question about many objects. */
const AT_ONCE = 6;

/** Asks about each item, a few at a time, and keeps their order. */
export function each<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const inTurn = semaphore(AT_ONCE);
  return Promise.all(items.map((item) => inTurn(() => work(item))));
}
