import type { Logger } from '@culprit/core';
import type { Octokit } from '@octokit/rest';
import { parsed } from '../shared/hosts/client.js';
import { type HttpFailure, noResponse, RequestFailure } from '../shared/hosts/failure.js';
import { loadLibrary } from '../shared/load-library.js';
import type { GithubConfig } from './config.js';

export interface OctokitParts {
  readonly library: OctokitLibrary;
  readonly config: Pick<GithubConfig, 'apiUrl' | 'timeoutMs'>;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
}
type OctokitLibrary = Pick<typeof import('@octokit/rest'), 'Octokit'> &
  Pick<typeof import('@octokit/graphql'), 'GraphqlResponseError' | 'withCustomRequest'> &
  Partial<Pick<typeof import('@octokit/auth-app'), 'createAppAuth'>>;

/** Octokit's packages are optional peers, so they are loaded at setup. `app`: also the one that only Apps need. */
export async function loadOctokit({ app }: { readonly app: boolean }): Promise<OctokitLibrary> {
  const load = <T>(name: string, from: () => Promise<T>) => loadLibrary('The github connector', name, from);
  const [rest, graphql, apps] = await Promise.all([
    load('@octokit/rest', () => import('@octokit/rest')),
    load('@octokit/graphql', () => import('@octokit/graphql')),
    app ? load('@octokit/auth-app', () => import('@octokit/auth-app')) : {},
  ]);
  return { ...rest, ...graphql, ...apps };
}

/** Each request of this Octokit must go through {@link exchange} in a hook, because its responses are not read yet. */
export function openOctokit(
  { library, config, fetch, logger }: OctokitParts,
  authentication: { readonly authStrategy?: unknown; readonly auth?: unknown } = {},
): Octokit {
  const quiet = () => {};
  const warn = (message: string) => logger.warn({ message: message.slice(0, 500) }, 'Octokit warns');
  // Failures are reported once, by whoever asked.
  const log = { debug: quiet, info: quiet, warn, error: quiet };
  return new library.Octokit({
    ...authentication,
    baseUrl: config.apiUrl,
    userAgent: 'culprit',
    log,
    // Octokit would read a response that is cut off as an empty one. An empty list means that no issue exists.
    request: { fetch, log, parseSuccessResponseBody: false },
  });
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  data: unknown;
}

/** Of a response without data, of which Octokit would make an empty list. */
const NOTHING = {};

/**
 * Sends one request and reads its response. Rejects with {@link RequestFailure} unless the status is 2xx; repeats nothing. `hide` takes
 * the token away: responses are shown to people, and a proxy may echo the request.
 */
export async function exchange<Answer extends RestAnswer>(
  send: () => Answer | Promise<Answer>,
  hide: (text: string) => string,
): Promise<Answer> {
  try {
    const answer = await send();
    const { data } = answer;
    const read = data instanceof ReadableStream ? parsed(await new Response(data).text()) : data;
    answer.data = read || NOTHING;
    for (const error of errorsIn(read)) error.message = hide(String(error.message));
    if (answer.status < 300) return answer;
    throw Object.assign(new Error('a redirect that leads nowhere'), { response: answer });
  } catch (error) {
    throw new RequestFailure(failureOf(error, hide));
  }
}

/** What Octokit rejects with, in our terms. */
function failureOf(error: unknown, hide: (text: string) => string): HttpFailure {
  const { response } = Object(error) as { readonly response?: RestAnswer };
  if (response === undefined) return noResponse(error);
  const { status, headers, data } = response;
  const { message } = Object(data) as { readonly message?: unknown };
  const reported = typeof message === 'string' ? hide(message).slice(0, 500) : `status ${status}`;
  return { status, headers, message: reported, errors: errorsIn(data).slice(0, 10) };
}

/** Of a GraphQL response, or of a body that GitHub found invalid. */
function errorsIn(data: unknown): { message?: string }[] {
  const { errors } = Object(data) as { readonly errors?: unknown };
  return Array.isArray(errors) ? errors.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** Octokit itself also fails, at responses that it does not expect. */
export function asFailure(error: unknown): RequestFailure {
  return error instanceof RequestFailure ? error : new RequestFailure(noResponse(error));
}
