import { CulpritError, type Engine, type Reviewer } from '@culprit/core';
import { type Access, FULL_ACCESS } from '@culprit/core/internal/domain/access';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { RequestHead } from '../http/message.js';
import type { OidcSignIn } from './oidc/sign-in.js';
import { bearerToken, type Recognised, type Reviewers } from './reviewers.js';
import { hasTwoSessions, sessionId } from './session-cookie.js';
import type { Session, Sessions, Vouched } from './sessions.js';
import type { SignInLimit } from './sign-in-limit.js';
import { checkOrigin, type Site } from './site.js';
import { hashOfToken, looksLikeToken, TOKEN_PREFIX } from './tokens/token-text.js';
import type { TokenIdentity, Tokens } from './tokens/tokens.js';

type Head = RequestHead;
const SESSION_PATH = '/api/v1/session';

/** The authenticated reviewer, and what this credential may do. */
export interface Identity {
  readonly reviewer: Reviewer;
  /** `null` with a bearer token. */
  readonly session: Session | null;
  /** The API token; `null` with a session or a reviewer's token. */
  readonly token: Pick<TokenIdentity, 'id' | 'expiresAt'> | null;
  /** The sign-in at a provider that this rests on, also for an API token; `null` without one. */
  readonly vouched: Vouched | null;
  readonly access: Access;
}

/** Checks that need no storage. */
type Claim =
  | { readonly kind: 'bearer'; readonly reviewer: Recognised }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'cookie'; readonly id: string };

export interface Authenticator {
  /** Rejects requests without valid credentials before the body is read. @throws `unauthenticated`, `forbidden` and similar. */
  precheck(head: Head): Claim;
  authenticate(engine: Engine, head: Head): Promise<Identity>;
  /** Whether the credential of an admitted request is known to be valid without a look into the storage. */
  proves(head: Head): boolean;
}

/** Sessions and tokens that were valid at their last request. They only decide who gives way under attack. */
const MAX_SEEN = 1_000;

export interface AuthenticatorParts {
  readonly site: () => Site;
  readonly reviewers: Reviewers;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  /** Asks the provider again about a session; see `OidcSignIn.confirm`. */
  readonly confirm: OidcSignIn['confirm'];
  /** Failed bearer tokens by address. */
  readonly limit: SignInLimit;
}

export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { site, reviewers, sessions, tokens, limit } = parts;
  const bearers = bearerCheck(reviewers, limit);
  const seen = boundedMap<string, true>(MAX_SEEN);
  const precheck = (head: Head): Claim => {
    const { authorization, cookie } = head.headers;
    if (authorization !== undefined) {
      const token = bearerToken(authorization);
      if (token === null) throw unauthenticated('Send "Authorization: Bearer <token>".');
      if (looksLikeToken(token)) return { kind: 'token', token };
      return { kind: 'bearer', reviewer: bearers(token, head) };
    }
    const id = sessionId(cookie, site());
    if (id === null) {
      if (hasTwoSessions(cookie, site()))
        throw unauthenticated(
          'The request has two different session cookies. Delete the cookies of this site, then sign in again.',
        );
      throw unauthenticated('Send "Authorization: Bearer <token>", or sign in on the board.');
    }
    if (!isSafe(head)) checkOrigin(site(), head);
    return { kind: 'cookie', id };
  };
  const withToken = async (engine: Engine, head: Head, token: string): Promise<Identity> => {
    const wait = limit.wait(head, null);
    const found = await tokens.recognise(engine.values, token, wait !== null);
    const hash = hashOfToken(token);
    if (found === null) {
      seen.delete(hash);
      if (wait !== null) throw tooManyFailures(wait);
      limit.failed(head);
      throw unauthenticated('This token is unknown, or it has been revoked.');
    }
    seen.set(hash, true);
    const { id, reviewer, access, expiresAt, vouched } = found;
    return { reviewer, session: null, token: { id, expiresAt }, vouched, access };
  };
  return {
    precheck,
    async authenticate(engine, head) {
      const claim = precheck(head);
      if (claim.kind === 'bearer')
        return {
          reviewer: { name: claim.reviewer.name, via: 'api' },
          ...{ session: null, token: null, vouched: null },
          access: FULL_ACCESS,
        };
      if (claim.kind === 'token') return withToken(engine, head, claim.token);
      const found = await sessions.find(engine.values, claim.id);
      // Signing out needs no confirmation by the provider.
      const isLeaving = head.method === 'DELETE' && head.path === SESSION_PATH;
      const session = isLeaving ? found : found && (await parts.confirm(engine.values, claim.id, found));
      if (session === null) {
        seen.delete(claim.id);
        throw unauthenticated('The session has ended. Sign in again.');
      }
      seen.set(claim.id, true);
      const { name, vouched, access } = session;
      return { reviewer: { name, via: 'board' }, session, token: null, vouched, access };
    },
    proves({ headers }) {
      if (headers.authorization !== undefined) {
        const token = bearerToken(headers.authorization);
        return token === null || !looksLikeToken(token) || seen.get(hashOfToken(token)) === true;
      }
      const id = sessionId(headers.cookie, site());
      return id !== null && seen.get(id) === true;
    },
  };
}

/** A WebSocket upgrade is a GET but counts as unsafe: it opens a channel to the page. */
function isSafe({ method, headers }: Head): boolean {
  if (headers.upgrade?.toLowerCase() === 'websocket') return false;
  return method === 'GET' || method === 'HEAD';
}

/** After too many failed attempts a client must wait, except with a token that was accepted before. */
function bearerCheck(reviewers: Reviewers, limit: SignInLimit) {
  return (token: string, head: Head): Recognised => {
    const reviewer = reviewers.recognise(token);
    const wait = limit.wait(head, reviewer);
    if (wait !== null) throw tooManyFailures(wait);
    if (reviewer === null) {
      limit.failed(head);
      throw unauthenticated(
        token.startsWith(TOKEN_PREFIX)
          ? 'This API token is mistyped, or a part of it is missing.'
          : 'Unknown reviewer token.',
      );
    }
    limit.succeeded(reviewer);
    return reviewer;
  };
}

export function unauthenticated(detail: string): CulpritError {
  return new CulpritError('unauthenticated', detail);
}

export function tooManyFailures(waitMs: number): CulpritError {
  return new CulpritError('rate_limited', 'Too many failed sign-ins from this address. Try again later.', {
    retryAfterMs: waitMs,
  });
}
