import type { Git } from '../git.js';
import type { Limits, Refused } from '../limits.js';
import type { DoubleOptions, DoubleRepository, DoubleToken, Level, Permissions } from '../options.js';
import type { State } from '../state.js';

export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly token: DoubleToken;
  readonly base: string;
}
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Plain text or HTML instead of JSON. */
  readonly type?: string;
}

export interface World {
  readonly options: DoubleOptions;
  readonly state: State;
  readonly limits: Limits;
  readonly git: (repository: string) => Git;
}

/** Answers one route; `rest` is its last parameter. */
export type Handle = (
  world: World,
  request: RestRequest,
  name: string,
  rest: string,
) => Answer | Promise<Answer>;

const DOCS = 'https://docs.github.com/rest';

export function refuse(
  status: number,
  message: string,
  more: Record<string, unknown> = {},
  headers = {},
): Answer {
  return { status, headers, body: { message, documentation_url: DOCS, status: String(status), ...more } };
}

const RANK: Readonly<Record<string, number>> = { read: 1, write: 2 };

/** Whether a fine-grained token has the permission (docs: permissions required for fine-grained personal access tokens). */
export function allows(token: DoubleToken, right: keyof Permissions, level: Level): boolean {
  const given = right === 'metadata' ? (token.permissions.metadata ?? 'read') : token.permissions[right];
  return given !== undefined && (RANK[given] ?? 0) >= (RANK[level] ?? 9);
}

/** 403 with the accepted permissions, in GitHub's wording. */
export function lacks(right: keyof Permissions, level: Level): Answer {
  const accepted = { 'x-accepted-github-permissions': `${right}=${level}` };
  return refuse(403, 'Resource not accessible by personal access token', {}, accepted);
}

/** The repository, or GitHub's refusal: hidden ones do not exist, renamed ones redirect. */
export function repositoryOf(world: World, token: DoubleToken, name: string): DoubleRepository | null {
  const found = Object.entries(world.options.repositories).find(
    ([known]) => known.toLowerCase() === name.toLowerCase(),
  );
  const hidden = found && token.repositories && !token.repositories.includes(found[0]);
  return found && !hidden ? found[1] : null;
}

export const SECONDARY =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';

/** Rate limited: GraphQL reports its primary limit with 200, everything else with 403 (RULES.md, limits). */
export function limited({ kind, retryAfter }: Refused, graphql = false): Answer {
  if (kind === 'secondary') return refuse(403, SECONDARY, {}, { 'retry-after': String(retryAfter) });
  const headers = { 'x-ratelimit-remaining': '0' };
  const message = 'API rate limit exceeded for user.';
  if (!graphql) return refuse(403, message, {}, headers);
  return { status: 200, headers, body: { data: null, errors: [{ type: 'RATE_LIMITED', message }] } };
}
