import { boundedMap, timeLimit } from '@culprit/core/resilience';
import { type GithubConfig, graphqlBase } from './config.js';
import type { Credential } from './credential.js';
import { asksToWait, httpFailure } from './errors.js';
import { type ApiSurface, Limits } from './limits.js';
import { GraphqlFailure, sendGraphql, sendRest } from './transport.js';

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

/** The two APIs of GitHub. Rejects with the errors of `transport.ts`, which callers translate. */
export interface GithubClient {
  /** Partial data is a response, not a failure. */
  graphql(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<GraphqlAnswer>;
  /** `route` is `GET /repos/{owner}/{repo}`, filled from the parameters. Redirects of renamed repositories are followed. */
  rest(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RestAnswer>;
  /** When the personal token expires, in milliseconds since 1970, as GitHub's last response said; `null`: unknown or never. */
  tokenExpiresAt(): number | null;
}
export interface RestAnswer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

export interface ClientParts {
  readonly credential: Credential;
  readonly config: GithubConfig;
  readonly fetch: typeof globalThis.fetch;
}

/** The REST version that github.com, GHE.com and every supported Enterprise Server have. */
export const API_VERSION = '2022-11-28';
/** Accounts whose limits are kept. */
const MOST_ACCOUNTS = 100;

/**
 * One credential's client. It never retries, except once with a new token of an App after a 401, which did nothing. While a
 * rate limit lasts it sends nothing, and rejects with what GitHub reported and the remaining time.
 */
export function githubClient({ credential, config, fetch: send }: ClientParts): GithubClient {
  let expiresAt: number | null = null;
  const fetch: ClientParts['fetch'] = async (...request) => {
    const response = await send(...request);
    const at = Date.parse(response.headers.get('github-authentication-token-expiration') ?? '');
    if (Number.isFinite(at)) expiresAt = at;
    return response;
  };
  const accounts = boundedMap<string, Limits>(MOST_ACCOUNTS);
  const limitsOf = (repository: string) => {
    const account = credential.account(repository);
    const limits = accounts.get(account) ?? new Limits();
    accounts.set(account, limits);
    return limits;
  };

  async function authorised<T>(
    { surface, repository, signal }: Asked,
    sendWith: (token: string, limits: Limits) => Promise<T>,
  ): Promise<T> {
    const limits = limitsOf(repository);
    const attempt = async (token: string) => {
      const refusal = limits.refusal(surface, Date.now());
      if (refusal) throw refusal;
      return sendWith(token, limits);
    };
    const token = await credential.token(repository, signal);
    try {
      return await attempt(token);
    } catch (error) {
      const renewed =
        httpFailure(error).status === 401 ? await credential.renewed(repository, token, signal) : null;
      if (renewed === null) throw withExpiry(error, expiresAt);
      return attempt(renewed);
    }
  }

  return {
    tokenExpiresAt: () => expiresAt,
    async graphql(query, variables, signal) {
      const repository = `${variables.owner}/${variables.name}`;
      return authorised({ surface: 'graphql', repository, signal }, async (token, limits) => {
        const headers = { authorization: `Bearer ${token}` };
        const sending = { baseUrl: graphqlBase(config.apiUrl), fetch, headers };
        try {
          const data = await sendGraphql(query, variables, {
            ...sending,
            signal: timeLimit(config.timeoutMs, signal),
          });
          if (typeof data !== 'object' || data === null) throw new TypeError('not a GraphQL response');
          return { data: data as Record<string, unknown>, errors: [], headers: {} };
        } catch (error) {
          const partial = partialAnswer(error, token);
          if (partial === null) {
            limits.observe('graphql', httpFailure(error), Date.now());
            throw withoutToken(error, token);
          }
          if (asksToWait(partial.errors))
            limits.observe('graphql', { status: 429, headers: partial.headers, message: '' }, Date.now());
          return partial;
        }
      });
    },
    async rest(route, parameters, signal) {
      const repository = `${parameters.owner}/${parameters.repo}`;
      return authorised({ surface: 'rest', repository, signal }, async (token, limits) => {
        const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': API_VERSION };
        const sending = { baseUrl: config.apiUrl, fetch, headers };
        try {
          return await sendRest(route, parameters, {
            ...sending,
            signal: timeLimit(config.timeoutMs, signal),
          });
        } catch (error) {
          limits.observe('rest', httpFailure(error), Date.now());
          throw withoutToken(error, token);
        }
      });
    },
  };
}

/** Adds when the token expired, if that is why GitHub rejects it. */
function withExpiry(error: unknown, expiresAt: number | null): unknown {
  const expired = expiresAt !== null && expiresAt <= Date.now() && httpFailure(error).status === 401;
  return expired ? Object.assign(error as Error, { expiredAt: expiresAt }) : error;
}

interface Asked {
  readonly surface: ApiSurface;
  /** `owner/name`. */
  readonly repository: string;
  readonly signal: AbortSignal;
}

/** A GraphQL response with errors and perhaps data; `null` for any other failure. */
function partialAnswer(error: unknown, token: string): GraphqlAnswer | null {
  if (!(error instanceof GraphqlFailure)) return null;
  const errors = error.errors as GraphqlAnswer['errors'];
  return {
    data: (error.data ?? null) as GraphqlAnswer['data'],
    errors: errors.map((one) => ({ ...one, message: hide(one.message, token) })),
    headers: error.headers,
  };
}

/** Responses are shown to people. A proxy that echoes the request must not reveal the token. */
function withoutToken(error: unknown, token: string): unknown {
  if (!(error instanceof Error)) return error;
  error.message = hide(error.message, token);
  const { data } = (error as { response?: { data?: unknown } }).response ?? {};
  if (typeof data === 'object' && data !== null && 'message' in data)
    data.message = hide(data.message, token);
  return error;
}

function hide(text: unknown, token: string): string {
  return String(text).replaceAll(token, '[redacted]');
}
