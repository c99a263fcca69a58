import type { CacheContext } from '@culprit/connectors/storage';
import type { Logger } from '@culprit/core';
import { once } from '@culprit/core/internal/resilience/once';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import type {
  ClientAuth,
  Configuration,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import { boundedFetch } from './bounded-fetch.js';
import { type Claims, isComplete, sidHash, subjectHash } from './claims.js';
import { type OidcOptions, SignInError, type SignInProblem } from './options.js';
import type { Transaction } from './sign-in.js';
import { CLOCK_TOLERANCE_S, missing, type SigningKeys, signingKeys } from './signing-keys.js';

/** How long a discovery document is used. */
const KEPT_MS = 60 * 60_000;
/** Until the next attempt after a failed one. */
const AGAIN = { firstMs: 1_000, maxMs: 30_000 } as const;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is sent when it is made. */
const LOGOUT_MS = 10 * 60_000;

/** A sign-in that begins: where the browser goes, and what it has to bring back. */
interface Begun {
  readonly url: string;
  readonly secrets: Omit<Transaction, 'to'>;
}

/** Whose sessions the provider ends: hashes as in `Provided`. */
interface LogoutOrder {
  readonly subject: string | null;
  readonly sid: string | null;
  /** Each order has its own. */
  readonly id: string;
}

/** An OpenID provider. Methods reject with {@link SignInError}. */
export interface OidcProvider {
  /** Why nobody can sign in at the moment, as far as is known; begins to find out again if it is time to. */
  problem(): SignInProblem | null;
  begin(redirectUri: string): Promise<Begun>;
  /** `callback`: the redirect URI with what the provider added. */
  finish(callback: URL, secrets: Omit<Transaction, 'to'>): Promise<SignedIn>;
  /**
   * What the claims are now. Rejects with the problem `expired` if the provider refuses the token: the person has signed out there,
   * was blocked, or has to sign in again. `unread`: why the claims could not be read; the refresh token is the next one all the same.
   */
  refresh(refreshToken: string): Promise<Statement & { readonly unread?: SignInError }>;
  /** Where the browser signs out at the provider, with the ID token if it is known; `null` if that is unknown or not possible. */
  signOutUrl(returnTo: string, idToken: string | null): string | null;
  logoutOrder(jwt: string): Promise<LogoutOrder>;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

interface Discovered {
  readonly config: Configuration;
  readonly keys: SigningKeys;
  readonly at: number;
}

export interface OidcProviderParts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
  /** Where the provider's keys are cached. */
  readonly cache: NonNullable<CacheContext['cache']>;
}

export function createOidcProvider(options: OidcOptions, parts: OidcProviderParts): OidcProvider {
  const { now } = parts;
  const { discovered, known, problem } = discovery(options, parts);
  /** Of the ID token, with what only the userinfo endpoint has; `null` without an ID token. */
  const claimsOf = async (tokens: Tokens, { config, keys }: Discovered): Promise<Claims | null> => {
    const claims = tokens.claims();
    if (claims === undefined || tokens.id_token === undefined) return null;
    const expected = { issuer: claims.iss, audience: options.clientId };
    const verified: Claims = await keys.verify(tokens.id_token, expected);
    if (isComplete(verified, options) || config.serverMetadata().userinfo_endpoint === undefined)
      return verified;
    const { fetchUserInfo } = await library();
    return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...verified };
  };
  /** A refresh need not bring an ID token: OpenID Connect Core 1.0, section 12.2. `null` without the endpoint. */
  const userInfo = async (tokens: Tokens, { config }: Discovered): Promise<Claims | null> => {
    const { issuer, userinfo_endpoint } = config.serverMetadata();
    if (userinfo_endpoint === undefined) return null;
    const client = await library();
    // The session has a hash of the subject; who asks compares it.
    const found = await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck);
    return { ...found, iss: issuer };
  };
  return {
    problem,
    async begin(redirect_uri) {
      const { config } = await discovered();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...random } = await library();
      const secrets = {
        state: random.randomState(),
        nonce: random.randomNonce(),
        verifier: random.randomPKCECodeVerifier(),
      };
      const url = buildAuthorizationUrl(config, {
        ...{ redirect_uri, scope: options.scopes, response_type: 'code' },
        ...{ state: secrets.state, nonce: secrets.nonce, code_challenge_method: 'S256' },
        code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
      });
      return { url: url.href, secrets };
    },
    async finish(callback, { state, nonce, verifier }) {
      const found = await discovered();
      const { authorizationCodeGrant } = await library();
      return judged(async () => {
        const tokens = await authorizationCodeGrant(found.config, callback, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
        });
        const claims = await claimsOf(tokens, found);
        if (claims === null) throw new Error('no ID token');
        return { claims, refreshToken: tokens.refresh_token ?? null, idToken: tokens.id_token ?? null };
      });
    },
    async refresh(refreshToken) {
      const found = await discovered();
      const { refreshTokenGrant } = await library();
      const tokens = await judged(() => refreshTokenGrant(found.config, refreshToken));
      // Providers that do not rotate the token may leave it out: RFC 6749, section 6.
      const next = tokens.refresh_token ?? refreshToken;
      try {
        const claims = await judged(
          async () => (await claimsOf(tokens, found)) ?? (await userInfo(tokens, found)),
        );
        return { claims, refreshToken: next };
      } catch (error) {
        // The provider has accepted the token before, and may accept it only once.
        if (error instanceof SignInError) return { claims: null, refreshToken: next, unread: error };
        throw error;
      }
    },
    signOutUrl(returnTo, idToken) {
      const metadata = known()?.config.serverMetadata();
      if (metadata?.end_session_endpoint === undefined) return null;
      const url = new URL(metadata.end_session_endpoint);
      url.searchParams.set('client_id', options.clientId);
      if (idToken !== null && idToken.length <= MAX_HINT) url.searchParams.set('id_token_hint', idToken);
      url.searchParams.set('post_logout_redirect_uri', returnTo);
      return /^https?:$/.test(url.protocol) ? url.href : null;
    },
    async logoutOrder(jwt) {
      const { config, keys } = await discovered();
      const { issuer } = config.serverMetadata();
      return orderOf(await keys.verify(jwt, { issuer, audience: options.clientId }), now());
    },
  };
}

/** Characters of an ID token in an address. Servers refuse addresses of more than 8 KiB. */
const MAX_HINT = 6_000;

/** Keeps the provider's description, and finds out about it at most once at a time. */
function discovery(options: OidcOptions, { now, logger, cache }: OidcProviderParts) {
  let kept: Discovered | null = null;
  let failed: { readonly error: SignInError; readonly until: number; readonly times: number } | null = null;
  let asking: Promise<Discovered> | null = null;
  const ask = async (): Promise<Discovered> => {
    try {
      const config = await discover(options);
      const { jwks_uri } = config.serverMetadata();
      if (jwks_uri === undefined) throw new Error('the discovery document has no jwks_uri');
      kept = { config, keys: signingKeys(jwks_uri, now, { cache, logger }), at: now() };
      failed = null;
      return kept;
    } catch (error) {
      const reason = signInError(error, 'provider_refused');
      const times = (failed?.times ?? 0) + 1;
      failed = { error: reason, until: now() + retryDelayMs(AGAIN, times, { jitter: 0.2 }), times };
      logger.warn(
        { err: reason.cause, issuer: options.issuer },
        'cannot read the description of the provider',
      );
      if (kept !== null) return kept;
      throw reason;
    } finally {
      asking = null;
    }
  };
  const discovered = async (): Promise<Discovered> => {
    if (kept !== null && now() - kept.at < KEPT_MS) return kept;
    if (failed !== null && failed.until > now()) {
      if (kept !== null) return kept;
      throw failed.error;
    }
    asking ??= ask();
    return asking;
  };
  return {
    discovered,
    known: () => kept,
    problem() {
      discovered().catch(() => {});
      return kept === null ? (failed?.error.problem ?? null) : null;
    },
  };
}

const library = once(
  () =>
    import('openid-client').catch((cause: unknown) => {
      throw new SignInError('unavailable', { cause: missing(cause) });
    }),
  { retryFailed: true },
);

async function discover({ issuer, clientId, clientSecret }: OidcOptions): Promise<Configuration> {
  const { discovery, allowInsecureRequests, clockTolerance, customFetch, ...methods } = await library();
  const { ClientSecretBasic, ClientSecretPost, None } = methods;
  const bySupport = (secret: string): ClientAuth => {
    const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
    return (server, ...rest) => {
      const supported = server.token_endpoint_auth_methods_supported;
      const isBasic = supported === undefined || supported.includes('client_secret_basic');
      return (isBasic ? basic : post)(server, ...rest);
    };
  };
  return discovery(
    new URL(issuer),
    clientId,
    { [clockTolerance]: CLOCK_TOLERANCE_S },
    clientSecret === null ? None() : bySupport(clientSecret),
    {
      [customFetch]: boundedFetch,
      // Plain http is allowed by the configuration alone.
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      timeout: 10,
    },
  );
}

async function judged<T>(work: () => Promise<T>): Promise<T> {
  const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } = await library();
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      const problem = error.error === 'access_denied' ? 'cancelled' : 'provider_refused';
      throw new SignInError(problem, { cause: error });
    }
    if (error instanceof WWWAuthenticateChallengeError)
      throw new SignInError('client_refused', { cause: error });
    if (error instanceof ResponseBodyError)
      throw new SignInError(tokenProblem(error.error), { cause: error });
    throw signInError(error, 'answer_refused');
  }
}

function tokenProblem(code: string): SignInProblem {
  if (code === 'invalid_client' || code === 'unauthorized_client') return 'client_refused';
  return NEEDS_SIGN_IN.has(code) ? 'expired' : 'provider_refused';
}

/** RFC 6749, section 5.2, and what Entra ID answers for a person who has to prove more. */
const NEEDS_SIGN_IN: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/** The library wraps what `fetch` throws. */
function signInError(error: unknown, otherwise: SignInProblem): SignInError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SignInError) return cause;
  }
  return new SignInError(otherwise, { cause: error });
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. */
function orderOf(claims: Claims, now: number): LogoutOrder {
  const { iss, sub, sid, iat, jti, events, nonce } = claims;
  const refuse = (why: string): never => {
    throw new SignInError('answer_refused', { cause: new Error(`logout token: ${why}`) });
  };
  if (nonce !== undefined) refuse('it has a nonce');
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, LOGOUT_EVENT))
    refuse('no event');
  if (typeof jti !== 'string') refuse('no jti');
  if (typeof sub !== 'string' && typeof sid !== 'string') refuse('neither sub nor sid');
  if (Math.abs(now - Number(iat) * 1_000) > LOGOUT_MS) refuse('it is too old');
  return {
    subject: typeof sub === 'string' ? subjectHash(String(iss), sub) : null,
    sid: typeof sid === 'string' ? sidHash(String(iss), sid) : null,
    id: String(jti),
  };
}

/** What the provider says about a person. */
interface Statement {
  /** Verified. `null`: it says no more than that the person still has access. */
  readonly claims: Claims | null;
  /** To ask again with; `null` if it gave none. */
  readonly refreshToken: string | null;
}

/** What the provider says when a person signs in. */
interface SignedIn extends Statement {
  readonly claims: Claims;
  /** As the provider signed it: with it, the provider knows whom to sign out, and by whose wish. */
  readonly idToken: string | null;
}
