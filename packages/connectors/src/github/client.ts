import type { CulpritError } from '@culprit/core';
import { once, timeLimit } from '@culprit/core/resilience';
import * as v from 'valibot';
import { loadLibrary } from '../shared/load-library.js';
import { type GithubConfig, graphqlBase } from './config.js';
import { asksToWait, httpFailure } from './errors.js';
import { type ApiSurface, Limits } from './limits.js';

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

/** The two APIs of GitHub. Rejects with the libraries' errors, which callers translate. */
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
}
export interface RestAnswer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

export interface ClientParts {
  readonly token: string;
  readonly config: GithubConfig;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * One token's client. It never retries: its callers decide. While a rate limit lasts it sends nothing, and rejects with what
 * GitHub reported and the remaining time.
 */
export function githubClient({ token, config, fetch }: ClientParts): GithubClient {
  const bounded = (signal: AbortSignal) => timeLimit(config.timeoutMs, signal);
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'culprit' };
  const limits = new Limits();
  const admit = (surface: ApiSurface) => {
    const refusal = limits.refusal(surface, Date.now());
    if (refusal) throw refusal;
  };
  const observe = (surface: ApiSurface, error: unknown) =>
    limits.observe(surface, httpFailure(error), Date.now());
  const libraries = once(async () => {
    const [{ graphql }, { Octokit }] = await Promise.all([
      loadLibrary('The github connector', '@octokit/graphql', () => import('@octokit/graphql')),
      loadLibrary('The github connector', '@octokit/rest', () => import('@octokit/rest')),
    ]);
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const octokit = new Octokit({
      auth: token,
      baseUrl: config.apiUrl,
      userAgent: 'culprit',
      log: silent,
      request: { fetch },
    });
    return {
      graphql: graphql.defaults({ baseUrl: graphqlBase(config.apiUrl), headers, request: { fetch } }),
      octokit,
    };
  });
  return {
    async graphql(query, variables, signal) {
      const { graphql } = await libraries();
      admit('graphql');
      try {
        const data = await graphql<Record<string, unknown>>(query, {
          ...variables,
          request: { fetch, signal: bounded(signal) },
        });
        if (typeof data !== 'object' || data === null) throw new TypeError('not a GraphQL response');
        return { data, errors: [], headers: {} };
      } catch (error) {
        const partial = error as {
          name?: string;
          data?: GraphqlAnswer['data'];
          errors?: readonly GraphqlError[];
          headers?: RestAnswer['headers'];
        };
        if (partial.name !== 'GraphqlResponseError') {
          observe('graphql', error);
          throw withoutToken(error, token);
        }
        const errors = (partial.errors ?? []).map((one) => ({ ...one, message: hide(one.message, token) }));
        const { headers: got = {} } = partial;
        if (asksToWait(errors))
          limits.observe('graphql', { status: 429, headers: got, message: '' }, Date.now());
        return { data: partial.data ?? null, errors, headers: got };
      }
    },
    async rest(route, parameters, signal) {
      const { octokit } = await libraries();
      admit('rest');
      const {
        status,
        url,
        headers: got,
        data,
      } = await octokit
        .request(route, { ...parameters, request: { fetch, signal: bounded(signal) } })
        .catch((error) => {
          observe('rest', error);
          throw withoutToken(error, token);
        });
      return { status, url, headers: got as RestAnswer['headers'], data };
    },
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

/** Validates a response's shape. A mismatch is the code host's failure, not a bug here. */
export function read<const Schema extends v.GenericSchema>(
  schema: Schema,
  data: unknown,
  otherwise: () => CulpritError,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, data);
  if (!parsed.success) throw otherwise();
  return parsed.output;
}
