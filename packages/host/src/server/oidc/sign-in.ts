import type { Engine, Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import { sessionClient } from '../session-client.js';
import { sessionCookie, sessionId } from '../session-cookie.js';
import { sessionList } from '../session-list.js';
import type { Session } from '../sessions.js';
import type { SignInLimit } from '../sign-in-limit.js';
import type { Site } from '../site.js';
import { type ApplyingParts, applyClaims } from './apply-claims.js';
import { personOf } from './claims.js';
import { createConfirm } from './confirm.js';
import { type OidcOptions, SignInError, type SignInProblem } from './options.js';
import type { OidcProvider } from './provider.js';
import { returnPath, withProblem } from './return-path.js';
import { readTransaction, transactionCookie } from './transaction.js';

export const SIGN_IN_PATH = '/sign-in/oidc';
export const CALLBACK_PATH = `${SIGN_IN_PATH}/callback`;
/** Answers of the provider that are checked at once. */
const MOST_AT_ONCE = 20;
/** Orders to end sessions that are remembered, so that a repeated one does nothing. */
const ORDERS = 10_000;

export interface OidcSignInParts extends ApplyingParts {
  readonly options: OidcOptions;
  readonly provider: OidcProvider;
  /** Of the provider's configuration; see `SignedIn`. */
  readonly credential: string;
  readonly site: () => Site;
  readonly engine: () => Promise<Engine>;
  /** Failed sign-ins by address. */
  readonly limit: SignInLimit;
  readonly now: () => number;
  readonly logger: Logger;
}

/** Authorization Code with PKCE, for browsers, and the provider's orders to end sessions. */
export interface OidcSignIn {
  readonly displayName: string;
  /** Why nobody can sign in at the moment, as far as is known. Asks the provider for its description, so call it at start. */
  problem(): SignInProblem | null;
  /** Leads to the provider. */
  begin(request: HttpRequest): Promise<HttpResponse>;
  /** Opens a session and leads back to the board. */
  finish(request: HttpRequest): Promise<HttpResponse>;
  /** Where the browser signs out at the provider; `null` if there is no such page. */
  signOutUrl(idToken: string | null): string | null;
  /**
   * Asks the provider again about a session that is used, if it is time to. Resolves with the session; `null` if it has ended.
   * @throws `unauthenticated` if the provider could not be asked for too long.
   */
  confirm(values: Values, id: string, session: Session): Promise<Session | null>;
  /** Ends the sessions that a logout token names. Rejects with {@link SignInError}. */
  logOut(jwt: string): Promise<void>;
}

export function createOidcSignIn(parts: OidcSignInParts): OidcSignIn {
  const { options, provider, site, logger, now } = parts;
  const orders = boundedMap<string, true>(ORDERS);
  let busy = 0;
  const failed = (to: string, error: unknown): HttpResponse => {
    const problem = error instanceof SignInError ? error.problem : 'unavailable';
    logger.warn({ problem, err: error instanceof SignInError ? error.cause : error }, 'sign-in failed');
    return redirect(withProblem(to, problem, site()), [transactionCookie(null, site())]);
  };
  /** Of this browser. Most providers are other sites, so that the cookie does not come with the request. */
  const closePrevious = async (values: Values, { headers }: HttpRequest): Promise<void> => {
    const id = sessionId(headers.cookie, site());
    const previous = id && (await parts.sessions.find(values, id));
    if (!previous) return;
    await parts.sessions.close(values, previous.key);
    await parts.ended(previous.key);
  };
  const signedIn = async (request: HttpRequest): Promise<HttpResponse> => {
    const place = site();
    const transaction = readTransaction(request.headers.cookie, place);
    if (transaction === null || transaction.state !== request.query.state) throw new SignInError('expired');
    const callback = new URL(`${place.url}${CALLBACK_PATH}?${new URLSearchParams(request.query)}`);
    const { claims, refreshToken, idToken } = await provider.finish(callback, transaction);
    const person = personOf(claims, options);
    const { provided } = person;
    const { values } = await parts.engine();
    await applyClaims(parts, values, provided);
    if (person.problem !== undefined) throw new SignInError(person.problem);
    const { name } = person;
    await closePrevious(values, request);
    const who = { name, credential: parts.credential, provided, refreshToken, idToken };
    const { id, ended } = await parts.sessions.open(values, who, sessionClient(request));
    for (const key of ended) await parts.ended(key);
    logger.info({ reviewer: name, asks_again: refreshToken !== null }, 'signed in at the provider');
    const cookies = [sessionCookie(id, place), transactionCookie(null, place)];
    return redirect(returnPath(transaction.to, place), cookies);
  };
  return {
    displayName: options.displayName,
    problem: provider.problem,
    confirm: createConfirm(parts),
    signOutUrl: (idToken) => provider.signOutUrl(`${site().url}/`, idToken),
    async begin({ query }) {
      const to = returnPath(query.to, site());
      try {
        const { url, secrets } = await provider.begin(`${site().url}${CALLBACK_PATH}`);
        return redirect(url, [transactionCookie({ ...secrets, to }, site())]);
      } catch (error) {
        return failed(to, error);
      }
    },
    async finish(request) {
      const to = returnPath(readTransaction(request.headers.cookie, site())?.to, site());
      if (busy >= MOST_AT_ONCE || parts.limit.wait(request, null) !== null)
        return failed(to, new SignInError('too_many'));
      busy++;
      try {
        return await signedIn(request);
      } catch (error) {
        if (COUNTED.has(error instanceof SignInError ? error.problem : 'unavailable'))
          parts.limit.failed(request);
        return failed(to, error);
      } finally {
        busy--;
      }
    },
    async logOut(jwt) {
      const { subject, sid, id } = await provider.logoutOrder(jwt);
      if (orders.has(id)) return;
      const { values } = await parts.engine();
      const all = await sessionList(values, now()).get();
      const named = all.filter((one) => (sid === null ? one.person === subject : one.sid === sid));
      for (const { key } of named) {
        await parts.sessions.close(values, key);
        await parts.ended(key);
      }
      // Only now: after a failure of the storage the provider repeats the order.
      orders.set(id, true);
      logger.info({ sessions: named.length }, 'the provider ended sessions');
    },
  };
}

/** Problems that an attacker can cause at will, and people seldom. */
const COUNTED: ReadonlySet<SignInProblem> = new Set(['expired', 'answer_refused', 'provider_refused']);

function redirect(location: string, cookies: readonly string[]): HttpResponse {
  return { status: 303, headers: { location }, cookies };
}
