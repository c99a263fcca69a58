import type { Octokit } from '@octokit/rest';
import { asksToWait } from './errors.js';
import { asFailure, exchange, type OctokitParts, openOctokit, type RestAnswer } from './octokit.js';
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
