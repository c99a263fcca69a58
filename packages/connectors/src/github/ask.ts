import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { type HttpFailure, hostErrors, retryAfterMs, type Subject } from '../shared/hosts/errors.js';
import type { GithubClient, GraphqlAnswer, GraphqlError } from './client.js';
import type { Asked } from './policy.js';

/** A repository (`owner/name`), the client that reads it, and the caller's signal. */
export interface Target extends Subject {
  readonly client: GithubClient;
  /** Parameters of every REST request about it. */
  readonly at: { readonly owner: string; readonly repo: string; readonly request: Asked };
}

export function targetOf(client: GithubClient, repository: string, signal: AbortSignal): Target {
  signal.throwIfAborted();
  const [owner, repo, more] = repository.split('/');
  if (!owner || !repo || more !== undefined)
    throw new CulpritError(
      'repository_not_found',
      `"${repository.slice(0, 100)}" is not a GitHub repository of the form owner/name.`,
    );
  return { client, repository, signal, at: { owner, repo, request: { repository, signal } } };
}

type Variables = Readonly<Record<string, unknown>>;

/** One GraphQL request. Partial data is returned with its errors; rate limits and refusals are thrown. */
export async function askGraphql(
  target: Target,
  query: string,
  variables: Variables,
): Promise<GraphqlAnswer> {
  const { client, at, repository } = target;
  const of = { owner: at.owner, name: at.repo, ...variables };
  const answer = await answered(target, client.graphql(query, of, at.request));
  if (asksToWait(answer.errors))
    throw new CulpritError('code_host_unavailable', 'GitHub’s rate limit is exceeded.', {
      retryAfterMs: retryAfterMs(answer, Date.now()),
    });
  const missing = answer.data?.repository === null || answer.data?.repository === undefined;
  if (missing && !isResourceLimit(answer.errors)) throw wholeFailure(answer, repository);
  return answer;
}

/** The members of the repository in a response. */
export function membersOf({ data }: GraphqlAnswer): Variables {
  return (data?.repository ?? {}) as Variables;
}

/** Variables with numbered names, such as `t0` and `t1`. */
export function numbered(name: string, values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, index) => [`${name}${index}`, value]));
}

interface Part<Item, Answer> {
  readonly items: readonly Item[];
  readonly answer: Answer;
}

/** One question about many items, halved while its answer is `null` because it is too large, down to single items. */
export async function inHalves<Item, Answer>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<Answer | null>,
): Promise<readonly Part<Item, Answer | null>[]> {
  const answer = await ask(items);
  if (answer !== null || items.length < 2) return [{ items, answer }];
  const middle = Math.ceil(items.length / 2);
  return [...(await inHalves(items.slice(0, middle), ask)), ...(await inHalves(items.slice(middle), ask))];
}

/** As {@link inHalves}. A single item that still is too large is omitted. */
export async function askInHalves<Item>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<GraphqlAnswer>,
): Promise<readonly Part<Item, GraphqlAnswer>[]> {
  if (items.length === 0) return [];
  const parts = await inHalves(items, async (some) => {
    try {
      const answer = await ask(some);
      return isResourceLimit(answer.errors) ? null : answer;
    } catch (error) {
      if (isUnavailable(error, 'overload')) return null;
      throw error;
    }
  });
  return parts.flatMap(({ items, answer }) => (answer === null ? [] : [{ items, answer }]));
}

/** True if the query exceeded GitHub's resource limits; a smaller one may succeed. */
export function isResourceLimit(errors: readonly GraphqlError[]): boolean {
  return errors.some(
    ({ type, message }) =>
      type === 'RESOURCE_LIMITS_EXCEEDED' ||
      /something went wrong while executing your query|may be the result of a timeout/i.test(message),
  );
}

/** The response contains nothing of the repository: it is hidden, or the whole query failed. */
function wholeFailure({ errors }: GraphqlAnswer, repository: string): CulpritError {
  const first = errors.find(({ path }) => path === undefined || path.length <= 1);
  if (first?.type === 'NOT_FOUND') {
    const detail = `GitHub does not show ${repository}. Check the name, and that the token may see it (Metadata: read). ${MAY_BE_PENDING}`;
    return new CulpritError('repository_not_found', detail);
  }
  if (first?.type === 'FORBIDDEN') return lacksContents(repository, first.message);
  // An older Enterprise Server has not every field.
  if (/^Field '\w+' doesn't exist on type/.test(errors[0]?.message ?? ''))
    return new CulpritError('code_host_unavailable', 'This GitHub version is too old for the query.', {
      reason: 'schema',
    });
  const reason = first === undefined ? 'no data' : first.message.slice(0, 200);
  return new CulpritError('code_host_unavailable', `GitHub could not execute the query (${reason}).`);
}

/** A member that GitHub refuses in a GraphQL response: a permission is missing, or the organisation forbids the access. */
export function lacksContents(repository: string, reported: string): CulpritError {
  const refusal = refusalOf({ status: 403, message: reported, headers: {} }, repository);
  if (refusal !== null) return new CulpritError('code_host_forbidden', refusal);
  const detail = `The token lacks a permission on ${repository}: it needs Contents: read. (GitHub: ${reported.slice(0, 200)})`;
  return new CulpritError('code_host_forbidden', detail);
}

const RATE_WORDS = /rate limit|abuse detection|submitted too quickly/i;

/** True if GitHub refused the request because of a rate limit; it did nothing. */
export function isRateLimit({ status, headers, message }: HttpFailure): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    RATE_WORDS.test(message)
  );
}

/** A GraphQL response with status 200 that reports only a rate limit. */
export function asksToWait(errors: readonly { readonly type?: string; readonly message: string }[]): boolean {
  return errors.some(({ type, message }) => type === 'RATE_LIMITED' || RATE_WORDS.test(message));
}

export const errors = hostErrors({
  name: 'GitHub',
  needs: { code: 'Contents: read', issues: 'Issues: read', write: 'Issues: write' },
  isRateLimit,
  badToken,
  forbidden({ headers, message }, repository, need) {
    const header = headers['x-accepted-github-permissions'];
    const rights = typeof header === 'string' && header !== '' ? words(header) : need;
    return `The token lacks a permission on ${repository}: it needs ${rights}. (GitHub: ${message})`;
  },
  notShown: (repository, need) =>
    `GitHub does not show ${repository}. Check the name, and that the token may see it (${need}). ${MAY_BE_PENDING}`,
  hiding: [404, 410, 451],
  isNothing: ({ status }) => [404, 409, 422].includes(status),
  unread(failure, repository) {
    const refusal = refusalOf(failure, repository);
    if (refusal !== null) return new CulpritError('code_host_forbidden', refusal);
    return failure.status === 409 && /empty/i.test(failure.message)
      ? new CulpritError('revision_not_found', `${repository} has no commits.`)
      : null;
  },
  rejecting: [400, 422],
  uncreated(failure, repository) {
    const disabled = `Issues are disabled in ${repository}. Enable them in its settings.`;
    return refusalOf(failure, repository) ?? (failure.status === 410 ? disabled : null);
  },
});
export const { answered, answeredOrNull, read, unreadable } = errors;

/** `schema`: an Enterprise Server that is too old for the query. For the others see `hostErrors`. */
export function isUnavailable(error: unknown, reason: 'overload' | 'timeout' | 'schema'): boolean {
  return isCulpritError(error, 'code_host_unavailable') && error.reason === reason;
}

/** `issues=write; metadata=read` becomes `Issues: write, Metadata: read`. */
function words(header: string): string {
  return header
    .split(/[;,]/)
    .map((part) => part.trim().split('='))
    .filter(([name]) => name)
    .map(
      ([name = '', level = '']) =>
        `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}: ${level}`,
    )
    .join(', ');
}

interface Refusal {
  /** GitHub's words. The double's `RULES.md` has the sources. */
  readonly says: RegExp;
  /** What it means, and what to do. `found` is the match. */
  readonly tell: (repository: string, found: RegExpExecArray) => string;
}

const REFUSALS: readonly Refusal[] = [
  {
    says: /SAML (?:enforcement|SSO)/i,
    tell: (repository) =>
      `The organisation of ${repository} requires single sign-on. Authorise the token for the organisation in GitHub's settings, under "Configure SSO".`,
  },
  {
    says: /IP allow list/i,
    tell: (repository) =>
      `The organisation of ${repository} has an IP allow list without this server's address. Ask an owner of the organisation to add it.`,
  },
  {
    says: /token's lifetime is greater than (\d{1,5}) days/i,
    tell: (repository, [, days]) =>
      `The organisation of ${repository} accepts only tokens that last at most ${days} days. Shorten the token's lifetime in GitHub's settings, or create a new one.`,
  },
  {
    says: /forbids access via a personal access token \(classic\)/i,
    tell: (repository) =>
      `The organisation of ${repository} does not accept classic tokens. Create a fine-grained token, or use a GitHub App.`,
  },
  {
    says: /forbids access via a fine-grained personal access token/i,
    tell: (repository) =>
      `The organisation of ${repository} does not accept fine-grained tokens. Use a GitHub App.`,
  },
  {
    says: /installation has been suspended/i,
    tell: (repository) =>
      `The GitHub App is suspended on ${repository}. Unsuspend it in the settings of its owner, under "GitHub Apps".`,
  },
  {
    says: /\barchived\b/i,
    tell: (repository) =>
      `${repository} is archived, so it accepts no issues. Unarchive it, or publish to another repository.`,
  },
  {
    says: /issues (?:has been|have been|are) disabled/i,
    tell: (repository) => `Issues are disabled in ${repository}. Enable them in its settings.`,
  },
  {
    says: /access blocked|unavailable for legal reasons/i,
    tell: (repository) =>
      `GitHub has blocked ${repository} for everyone. Its owners can ask GitHub Support why.`,
  },
];

/** What a refusal means if no permission is missing; `null` for any other failure. */
export function refusalOf(
  { status, message, headers }: Pick<HttpFailure, 'status' | 'message' | 'headers'>,
  repository: string,
): string | null {
  if (![403, 410, 451].includes(status)) return null;
  for (const { says, tell } of REFUSALS) {
    const found = says.exec(message);
    if (found) return `${tell(repository, found)}${ssoAddress(headers)}`;
  }
  return null;
}

/** `required; url=https://github.com/orgs/acme/sso?authorization_request=…` */
function ssoAddress(headers: HttpFailure['headers']): string {
  const address = /^required; url=(https:\/\/[\w.~:/?#@!$&'()*+,;=%-]{1,400})$/.exec(
    String(headers['x-github-sso'] ?? ''),
  );
  return address ? ` Open ${address[1]}` : '';
}

/** GitHub answers 401 alike for every bad token, but it said before when this one expires. */
export function badToken({ expiredAt }: Pick<HttpFailure, 'expiredAt'>): string {
  if (expiredAt === undefined)
    return 'GitHub rejects the token: it is invalid, revoked or expired. Create a new one.';
  return `GitHub rejects the token: it expired at ${utcMinute(expiredAt)}. Create a new one.`;
}

/** `2026-11-22 09:30 UTC`. `ms`: since 1970. */
export function utcMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A fine-grained token that an organisation has not approved yet sees only public data. */
const MAY_BE_PENDING =
  'If its organisation approves fine-grained tokens, an owner may still have to approve this one.';
