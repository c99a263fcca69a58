import { setTimeout as delay } from 'node:timers/promises';
import type { Engine, Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import { unauthenticated } from '../authenticate.js';
import { seal, unseal } from '../sealed.js';
import { sessionClient } from '../session-client.js';
import { cookieOf, sessionCookie, sessionId } from '../session-cookie.js';
import {
  confirmed,
  type Provided,
  type Session,
  type Sessions,
  sameGifts,
  sessionList,
} from '../sessions.js';
import type { SignInLimit } from '../sign-in-limit.js';
import type { Site } from '../site.js';
import { personOf } from './claims.js';
import { type OidcOptions, SignInError, type SignInProblem } from './options.js';
import type { OidcProvider } from './provider.js';

export const SIGN_IN_PATH = '/sign-in/oidc';
export const CALLBACK_PATH = `${SIGN_IN_PATH}/callback`;
/** Answers of the provider that are checked at once. */
const MAX_AT_ONCE = 20;
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
      if (busy >= MAX_AT_ONCE || parts.limit.wait(request, null) !== null)
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

/** Until the provider is asked again after it could not be asked. */
const AGAIN_MS = 60_000;
/** A session whose claims the provider has not confirmed for this long is refused, and works again once it does. */
const UNCONFIRMED_MS = 60 * 60_000;
/** Longer than a core takes to ask: at most four requests of five seconds. */
const ASKING_MS = 30_000;
/** How often somebody who waits for another core looks. */
const LOOK_MS = 100;

interface ConfirmParts extends ApplyingParts {
  readonly options: OidcOptions;
  readonly provider: OidcProvider;
  readonly now: () => number;
  readonly logger: Logger;
}

/** See `OidcSignIn.confirm`. One request asks at a time, on all cores: many providers accept a refresh token once. */
function createConfirm(parts: ConfirmParts) {
  const { sessions, now, logger } = parts;
  const asking = new Map<string, Promise<Session | null>>();
  const end = async (values: Values, { key, name }: Session, why: string): Promise<null> => {
    logger.info({ reviewer: name }, why);
    await sessions.close(values, key);
    await parts.ended(key);
    return null;
  };
  /** Nothing is known yet. `kept`: the refresh token for the next time, if there is another. */
  const unknown = (values: Values, session: Session, error: SignInError, kept?: string) => {
    logger.warn({ problem: error.problem, err: error.cause }, 'cannot ask the provider about a session');
    const next_at = now() + AGAIN_MS;
    return sessions.plan(values, session, (before) => ({
      ...before,
      ...(kept === undefined ? {} : { sealed: kept }),
      next_at,
      asking: false,
    }));
  };
  /** Only by the process that has set `asking`. */
  const ask = async (values: Values, id: string, session: Session, kept: string) => {
    const token = unseal(kept, id);
    if (token === null) return end(values, session, 'a refresh token cannot be read: session ended');
    try {
      const { claims, refreshToken, unread } = await parts.provider.refresh(token);
      if (unread !== undefined) return unknown(values, session, unread, seal(refreshToken ?? token, id));
      const provided = claims && personOf(claims, parts.options).provided;
      if (provided && provided.subject !== session.person)
        return end(values, session, 'the provider names another person: session ended');
      const before = session.vouched?.provided;
      if (provided && before && !sameGifts(before, provided)) {
        await applyClaims(parts, values, provided);
        return end(values, session, 'the provider gives other roles now: sessions ended');
      }
      return sessions.plan(values, session, () => confirmed(refreshToken ?? token, id, now()));
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      if (error.problem === 'expired')
        return end(values, session, 'the provider refused to confirm: session ended');
      return unknown(values, session, error);
    }
  };
  const takeTurn = async (values: Values, id: string, session: Session): Promise<Session | null> => {
    for (let current: Session | null = session; current !== null; ) {
      let mine = false;
      const taken = await sessions.plan(values, current, (before) => {
        mine = before.next_at <= now();
        return mine ? { ...before, asking: true, next_at: now() + ASKING_MS } : undefined;
      });
      if (taken?.confirmation && mine) return ask(values, id, taken, taken.confirmation.sealed);
      if (!taken?.confirmation?.asking) return taken;
      await delay(LOOK_MS);
      current = await sessions.find(values, id);
    }
    return null;
  };
  return async (values: Values, id: string, session: Session): Promise<Session | null> => {
    const { key, confirmation } = session;
    if (confirmation === null) return session;
    let found: Session | null = session;
    if (confirmation.next_at <= now() || confirmation.asking) {
      const turn = asking.get(key) ?? takeTurn(values, id, session).finally(() => asking.delete(key));
      asking.set(key, turn);
      found = await turn;
    }
    if (found?.confirmation && now() - found.confirmation.confirmed_at > UNCONFIRMED_MS) throw unconfirmed();
    return found;
  };
}

function unconfirmed(): Error {
  const detail =
    'The sign-in provider could not be asked for an hour whether you still have your roles. Your session continues as soon as it responds.';
  return unauthenticated(detail);
}

interface ApplyingParts {
  readonly sessions: Sessions;
  /** Judges the person's API tokens by what the claims say now. */
  readonly judgeTokens: (values: Values, provided: Provided) => Promise<void>;
  /** Ends the live feeds of a session, by its storage key. */
  readonly ended: (key: string) => Promise<void>;
}

/**
 * What the provider says about a person now: their API tokens do at most that, and their sessions that were opened with other claims
 * end, in every browser.
 */
async function applyClaims(
  { sessions, judgeTokens, ended }: ApplyingParts,
  values: Values,
  provided: Provided,
): Promise<void> {
  await judgeTokens(values, provided);
  for (const { session } of await sessions.list(values, provided.subject)) {
    if (session.vouched !== null && sameGifts(session.vouched.provided, provided)) continue;
    await sessions.close(values, session.key);
    await ended(session.key);
  }
}

const MAX_PATH_CHARS = 1_500;

/** Where a browser goes after its sign-in: a path of the board, with query and fragment. Anything else is the board itself. */
function returnPath(asked: string | undefined, { url, origin, path }: Site): string {
  const home = `${path}/`;
  if (asked === undefined || asked.length > MAX_PATH_CHARS || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(asked))
    return home;
  if (!URL.canParse(asked, url)) return home;
  const { origin: other, pathname, search, hash } = new URL(asked, url);
  if (other !== origin || pathname.startsWith('//')) return home;
  const own = pathname === path || pathname.startsWith(home);
  return own && !pathname.startsWith(`${path}/sign-in`) ? `${pathname}${search}${hash}` : home;
}

/** The same path with the reason why the sign-in failed, which the board shows. */
function withProblem(path: string, problem: string, { url }: Pick<Site, 'url'>): string {
  const { pathname, searchParams, hash } = new URL(path, url);
  searchParams.set('sign_in_problem', problem);
  return `${pathname}?${searchParams}${hash}`;
}

const TTL_SECONDS = 600;
const MAX_COOKIE_CHARS = 4_000;

const secret = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{32,128}$/));
const transactionSchema = v.strictObject({
  state: secret,
  nonce: secret,
  verifier: secret,
  /** Where to go afterwards; checked again when it is used. */
  to: v.string(),
});

/** A sign-in that is under way, kept by the browser that began it. */
export type Transaction = v.InferOutput<typeof transactionSchema>;

/** `null` if this browser has not begun a sign-in within the last ten minutes. */
function readTransaction(header: string | undefined, site: Site): Transaction | null {
  const text = cookieOf(header, nameOf(site));
  if (text === null || text.length > MAX_COOKIE_CHARS) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const read = v.safeParse(transactionSchema, parsed);
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}

/**
 * `Set-Cookie`, or to remove it (`null`). `Lax`, because the provider's page leads back to core. With https the name has the prefix
 * `__Host-`, so that no other host of the domain can set it.
 */
export function transactionCookie(transaction: Transaction | null, site: Site): string {
  const value = transaction === null ? '' : Buffer.from(JSON.stringify(transaction)).toString('base64url');
  const age = transaction === null ? 0 : TTL_SECONDS;
  const flags = `HttpOnly; SameSite=Lax; Path=/; Max-Age=${age}${site.secure ? '; Secure' : ''}`;
  return `${nameOf(site)}=${value}; ${flags}`;
}

function nameOf({ secure }: Site): string {
  return `${secure ? '__Host-' : ''}culprit_sign_in`;
}
