import { CulpritError, type Engine, type Reviewer } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import type { HttpRequest } from '../http/message.js';
import { bearerToken, type Recognised, type Reviewers } from './reviewers.js';
import { type Session, type Sessions, sessionId } from './sessions.js';
import type { SignInLimit } from './sign-in-limit.js';
import { checkOrigin, type Site } from './site.js';

type Head = Omit<HttpRequest, 'body' | 'signal'>;

/** The authenticated reviewer. */
export interface Identity {
  readonly reviewer: Reviewer;
  /** `null` with a bearer token. */
  readonly session: Session | null;
}

/** Checks that need no storage. */
type Claim =
  | { readonly kind: 'bearer'; readonly reviewer: Recognised }
  | { readonly kind: 'cookie'; readonly id: string };

export interface Authenticator {
  /** Rejects requests without valid credentials before the body is read. @throws `unauthenticated`, `forbidden` and similar. */
  precheck(head: Head): Claim;
  authenticate(engine: Engine, head: Head): Promise<Identity>;
}

export interface AuthenticatorParts {
  readonly site: () => Site;
  readonly reviewers: Reviewers;
  readonly sessions: Sessions;
  /** Failed bearer tokens by address. */
  readonly limit: SignInLimit;
}

export function createAuthenticator({ site, reviewers, sessions, limit }: AuthenticatorParts): Authenticator {
  const bearers = bearerCheck(reviewers, limit);
  const precheck = (head: Head): Claim => {
    const { authorization, cookie } = head.headers;
    if (authorization !== undefined) {
      const token = bearerToken(authorization);
      if (token === null) throw unauthenticated('Send "Authorization: Bearer <reviewer token>".');
      return { kind: 'bearer', reviewer: bearers(token, head.remoteAddress) };
    }
    const id = sessionId(cookie);
    if (id === null) {
      throw unauthenticated('Send "Authorization: Bearer <reviewer token>", or sign in on the board.');
    }
    if (!isSafe(head)) checkOrigin(site(), head);
    return { kind: 'cookie', id };
  };
  return {
    precheck,
    async authenticate(engine, head) {
      const claim = precheck(head);
      if (claim.kind === 'bearer')
        return { reviewer: { name: claim.reviewer.name, via: 'api' }, session: null };
      const session = await sessions.find(engine.values, claim.id);
      if (session === null) throw unauthenticated('The session has ended. Sign in again.');
      return { reviewer: { name: session.name, via: 'board' }, session };
    },
  };
}

/** A WebSocket upgrade is a GET but counts as unsafe: it opens a channel to the page. */
function isSafe({ method, headers }: Head): boolean {
  if (headers.upgrade?.toLowerCase() === 'websocket') return false;
  return method === 'GET' || method === 'HEAD';
}

/**
 * After too many failed attempts an address is blocked, except for tokens that have succeeded from it before: one user
 * behind a shared proxy cannot lock out the others.
 */
function bearerCheck(reviewers: Reviewers, limit: SignInLimit) {
  const proven = boundedMap<string, true>(10_000);
  return (token: string, address: string): Recognised => {
    const wait = limit.wait(address);
    const reviewer = reviewers.recognise(token);
    if (wait !== null && !(reviewer !== null && proven.has(`${address} ${reviewer.credential}`))) {
      throw tooManyFailures(wait);
    }
    if (reviewer === null) {
      limit.failed(address);
      throw unauthenticated('Unknown reviewer token.');
    }
    proven.set(`${address} ${reviewer.credential}`, true);
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
