import { CulpritError, isCulpritError } from '@culprit/core';
import { hostErrors } from '../shared/hosts/errors.js';
import type { HttpFailure } from '../shared/hosts/failure.js';

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
export const MAY_BE_PENDING =
  'If its organisation approves fine-grained tokens, an owner may still have to approve this one.';
