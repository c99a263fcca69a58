import {
  type Parameters,
  pagesOf,
  type RestAnswer,
  type RestClient,
  restClient,
} from '../shared/hosts/client.js';
import type { HttpFailure } from '../shared/hosts/errors.js';
import { hostErrors, type Subject } from '../shared/hosts/errors.js';
import { type ForgejoConfig, repositoryName } from './config.js';

export const BAD_TOKEN = 'The server rejects the token: it is invalid or was deleted. Create a new one.';

/** `token does not have at least one of required scope(s): [write:issue]` names the scope. */
export function forbidden({ message }: Pick<HttpFailure, 'message'>, repository: string): string {
  const scopes = /required scope\(s\): \[([\w: ,]{1,200})\]/.exec(message)?.[1];
  return scopes === undefined
    ? `The token's user may not do this in ${repository}. Add the user to the repository or its team. (${message})`
    : `The token lacks the scope ${scopes}. Create one that has it.`;
}

export function notShown(repository: string): string {
  return `The server does not show ${repository}. Check the name, and that the token's user may see it.`;
}

export const errors = hostErrors({
  name: 'The server',
  // Its responses name the scopes.
  needs: { code: '', issues: '', write: '' },
  // Neither program limits requests itself; a proxy in front of it does, and did not pass the request on.
  isRateLimit: ({ status }) => status === 429,
  badToken: () => BAD_TOKEN,
  forbidden,
  notShown,
  hiding: [404],
  isNothing: ({ status }) => status === 404,
  rejecting: [400, 412, 413, 422],
  uncreated: ({ status }, repository, what) =>
    status === 423
      ? `${repository} is archived, so it accepts no ${what}s. Unarchive it, or publish to another one.`
      : null,
});
export const { answered, read } = errors;

export function forgejoClient(
  token: string,
  { url, timeoutMs }: Pick<ForgejoConfig, 'url' | 'timeoutMs'>,
  fetch: typeof globalThis.fetch,
): RestClient {
  return restClient({ api: `${url}/api/v1`, token, scheme: 'token', timeoutMs, fetch });
}

/** A repository, the client that asks about it, and the caller's signal. */
export interface Target extends Subject {
  readonly client: RestClient;
  readonly owner: string;
  readonly repo: string;
}

export function targetOf(client: RestClient, repository: string, signal: AbortSignal): Target {
  signal.throwIfAborted();
  const [owner = '', repo = ''] = repositoryName(repository).split('/');
  return { client, repository, owner, repo, signal };
}

/** One request, with its failure as it is. */
export function send(target: Target, route: string, parameters: Parameters = {}): Promise<RestAnswer> {
  const { client, owner, repo, signal } = target;
  return client.rest(route, { owner, repo, ...parameters }, signal);
}

/** One request, with failures translated. */
export function ask(target: Target, route: string, parameters: Parameters = {}): Promise<RestAnswer> {
  return answered(target, send(target, route, parameters));
}

/** The pages of a list. */
export function pages(target: Target, route: string, parameters: Parameters): AsyncGenerator<RestAnswer> {
  return pagesOf((next) => ask(target, route, { ...parameters, ...next }));
}

/** The token's user. */
export function askUser({ client, signal }: Pick<Target, 'client' | 'signal'>): Promise<RestAnswer> {
  return client.rest('GET /user', {}, signal);
}
