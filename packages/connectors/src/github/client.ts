import type { Logger } from '@culprit/core/connector';
import type { Octokit } from '@octokit/rest';
import { jsonOrText } from '../shared/hosts/client.js';
import { type HttpFailure, noResponse, RequestFailure } from '../shared/hosts/errors.js';
import { loadLibrary } from '../shared/load-library.js';
import { asksToWait } from './ask.js';
import type { GithubConfig } from './config.js';
import { type Asked, type Credential, requestPolicy } from './policy.js';

export interface GraphqlError {
  readonly type?: string;
  readonly message: string;
  readonly path?: readonly (string | number)[];
}
export interface GraphqlAnswer {
  /** Failed members are `null`; `null` as a whole if everything failed. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphqlError[];
  /** Response headers, if there were errors. */
  readonly headers: RestAnswer['headers'];
}

/**
 * One credential's access to GitHub: Octokit, each of whose requests passes the policy. Parameters of a request have what it is about,
 * as `request`. Rejects with `RequestFailure`, which callers translate.
 */
export interface GithubClient {
  /** When the personal token expires, in milliseconds since 1970; `null`: unknown or never. */
  tokenExpiresAt(): number | null;
  /** Redirects of renamed repositories are followed. */
  readonly rest: Octokit['rest'];
  /** For a route without a method. */
  readonly request: Octokit['request'];
  /** The pages of a list; each names the address of the next one, because page numbers end at 10,000 issues. */
  pages<List extends Octokit['request']>(
    list: List,
    parameters: Parameters<List>[0] & { readonly request: Asked },
  ): AsyncIterable<{ readonly data: unknown }>;
  /** Partial data is a response, not a failure. */
  graphql(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    request: Asked,
  ): Promise<GraphqlAnswer>;
}

/** The REST version that github.com, GHE.com and every supported Enterprise Server have. */
export const API_VERSION = '2022-11-28';

export function githubClient(credential: Credential, parts: OctokitParts): GithubClient {
  const { config, library } = parts;
  const octokit = openOctokit(parts);
  const graphql = library.withCustomRequest(octokit.request);
  const policy = requestPolicy(credential, config.timeoutMs);

  octokit.hook.wrap('request', (send, options) => {
    const asked = options.request as unknown as Asked;
    const surface = options.url.endsWith('/graphql') ? 'graphql' : 'rest';
    if (surface === 'rest') options.headers['x-github-api-version'] = API_VERSION;
    options.url = atServer(options.url, config.apiUrl);
    const sent = policy.ask(asked, surface, (token, signal) => {
      // Octokit's own hooks have this object, so it is changed.
      options.headers.authorization = `Bearer ${token}`;
      options.request = { ...asked, signal };
      return exchange(
        () => send(options),
        (text) => text.replaceAll(token, '[redacted]'),
      );
    });
    return sent.catch((error: unknown) => {
      throw asFailure(error);
    });
  });

  return {
    rest: octokit.rest,
    request: octokit.request,
    tokenExpiresAt: policy.tokenExpiresAt,
    async *pages(list, parameters) {
      // Octokit passes only the address on to the next page.
      const request = list.defaults({ request: parameters.request });
      const pages = octokit.paginate.iterator(request, parameters)[Symbol.asyncIterator]();
      for (;;) {
        const page = await pages.next().catch((error: unknown) => {
          throw asFailure(error);
        });
        if (page.done) return;
        yield page.value;
      }
    },
    async graphql(query, variables, request) {
      try {
        const data: unknown = await graphql(query, { ...variables, request });
        if (typeof data !== 'object' || data === null) throw new TypeError('not a GraphQL response');
        return { data: data as Record<string, unknown>, errors: [], headers: {} };
      } catch (error) {
        if (!(error instanceof library.GraphqlResponseError)) throw asFailure(error);
        const { data = null, errors = [], headers } = error;
        if (asksToWait(errors)) policy.limited(request, 'graphql', headers);
        return { data, errors, headers } as GraphqlAnswer;
      }
    },
  };
}

/** The address of a further page, as a response names it, at the configured server: no other one gets the token. */
function atServer(url: string, apiUrl: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return `${new URL(apiUrl).origin}${pathname}${search}`;
}

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
  const [api, graphql, apps] = await Promise.all([
    load('@octokit/rest', () => import('@octokit/rest')),
    load('@octokit/graphql', () => import('@octokit/graphql')),
    app ? load('@octokit/auth-app', () => import('@octokit/auth-app')) : {},
  ]);
  return { ...api, ...graphql, ...apps };
}

/** Each request of this Octokit must go through {@link exchange} in a hook, because its responses are not read yet. */
export function openOctokit(
  { library, config, fetch, logger }: OctokitParts,
  authentication: { readonly authStrategy?: unknown; readonly auth?: unknown } = {},
): Octokit {
  const quiet = () => {};
  const warn = (message: string) => logger.warn({ message: message.slice(0, 500) }, 'Octokit warns');
  // Failures are reported once, by the caller.
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
    const read = data instanceof ReadableStream ? jsonOrText(await new Response(data).text()) : data;
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
