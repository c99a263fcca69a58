import type { Git } from '../../shared/git.js';
import type { Answer, DoubleRequest } from '../../shared/server.js';
import type { Limits, Refused } from '../limits.js';
import { bodyProblem } from '../openapi.js';
import type { DoubleRepository, DoubleToken, Level, LiveOptions, Permissions } from '../options.js';
import type { State } from '../state.js';

export type { Answer } from '../../shared/server.js';

export interface RestRequest extends Pick<DoubleRequest, 'method' | 'path' | 'url' | 'headers' | 'base'> {
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly token: DoubleToken;
  /** As GitHub names it; `null` if there is no such route. */
  readonly route: string | null;
  /** Values of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** A request about a repository that the token sees. */
export interface RepositoryRequest extends RestRequest {
  readonly world: World;
  readonly name: string;
  readonly repository: DoubleRepository;
}

export interface World {
  readonly options: LiveOptions;
  readonly state: State;
  readonly limits: Limits;
  readonly git: (repository: string) => Git;
}

/** Answers one route. */
export type Handle = (request: RepositoryRequest) => Answer | Promise<Answer>;

const DOCS = 'https://docs.github.com/rest';

export function refuse(
  status: number,
  message: string,
  more: Record<string, unknown> = {},
  headers = {},
): Answer {
  return { status, headers, body: { message, documentation_url: DOCS, status: String(status), ...more } };
}

export function ok(body: unknown, headers: Answer['headers'] = {}): Answer {
  return { status: 200, headers, body };
}

export const NOT_FOUND = refuse(404, 'Not Found');

/** 422 with what one of the fields violates. */
export function invalid(error: Readonly<Record<string, unknown>>): Answer {
  return refuse(422, 'Validation Failed', { errors: [error] });
}

/** 422 if the body violates the route's description. */
export function wrongBody({ route, body }: RestRequest): Answer | null {
  const problem = bodyProblem(route ?? '', body);
  return problem === null ? null : refuse(422, `Invalid request.\n\n${problem}`);
}

/** 301 or 307 to another place. */
export function movedTo(location: string, status = 301): Answer {
  const body = { message: 'Moved Permanently', url: location, documentation_url: DOCS };
  return { status, headers: { location }, body };
}

const RANK: Readonly<Record<string, number>> = { read: 1, write: 2 };

/** Whether a fine-grained token has the permission (docs: permissions required for fine-grained personal access tokens). */
export function allows(token: DoubleToken, right: keyof Permissions, level: Level): boolean {
  const given = right === 'metadata' ? (token.permissions.metadata ?? 'read') : token.permissions[right];
  return given !== undefined && (RANK[given] ?? 0) >= (RANK[level] ?? 9);
}

/** Answers only tokens that have the permission. */
export function needing(right: keyof Permissions, level: Level, answer: Handle): Handle {
  return (request) => (allows(request.token, right, level) ? answer(request) : lacks(right, level));
}

/** 403 with the accepted permissions, in GitHub's wording. */
export function lacks(right: keyof Permissions, level: Level): Answer {
  const accepted = { 'x-accepted-github-permissions': `${right}=${level}` };
  return refuse(403, 'Resource not accessible by personal access token', {}, accepted);
}

/** The current spelling of a name, and the repository; `null` if the token does not see it, which is as if there were none. */
export function repositoryOf(
  { options }: World,
  { repositories }: DoubleToken,
  name: string,
): readonly [string, DoubleRepository] | null {
  const found = Object.entries(options.repositories).find(
    ([known]) => known.toLowerCase() === name.toLowerCase(),
  );
  return found && (repositories?.includes(found[0]) ?? true) ? found : null;
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
