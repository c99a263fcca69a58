import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A client without a secret. */
export const PUBLIC_CLIENT = 'culprit-public';
export const CLIENT = { id: 'culprit', secret: 'client-secret-of-the-test-000000' };

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a free port, with its own URL. `host`: by which loopback name browsers reach it. */
async function serve(listenerOf: (url: string) => Listener, host = '127.0.0.1') {
  let listener: Listener = (_request, response) => response.end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  listener = listenerOf(url);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

async function signingKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' },
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' },
  };
}

interface GrantAsked {
  readonly oidc: {
    readonly session: { readonly accountId: string };
    readonly client: { readonly clientId: string };
  };
}

export interface RealProvider {
  readonly url: string;
  /** Who the next browser is, and the claims about each account. */
  readonly people: { now: string; readonly claims: Map<string, JWTPayload> };
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): Promise<void>;
  /** Requests for new tokens with a refresh token. */
  readonly refreshes: { accepted: number; refused: number };
  /** While true it hangs up. */
  down: boolean;
  /** Only the userinfo endpoint. */
  userinfoDown: boolean;
  close(): Promise<void>;
}

/**
 * oidc-provider, which asks for no consent. `core`: how browsers reach core. It signs everybody in as `people.now`; with `pages` it asks
 * for the account on its own page, and is another site than core; with `refreshTokens` it gives some, each for one use. Somebody without
 * claims is blocked.
 */
export async function realProvider(
  core: string,
  claimsIn: 'id_token' | 'userinfo',
  { pages = false, refreshTokens = false } = {},
): Promise<RealProvider> {
  const people: RealProvider['people'] = { now: '', claims: new Map() };
  const state = { refreshes: { accepted: 0, refused: 0 }, down: false, userinfoDown: false };
  const grant_types = ['authorization_code', ...(refreshTokens ? ['refresh_token'] : [])];
  const newKey = async () => (await signingKey(randomUUID())).jwk;
  let setKey = (_key: object) => {};
  const first = await newKey();
  const { url, close } = await serve(
    (issuer) => {
      let listener: Listener = () => {};
      setKey = (key) => {
        listener = listenerWith(key);
      };
      const listenerWith = (key: object): Listener => {
        const provider = new Provider(issuer, {
          jwks: { keys: [key] },
          // As Keycloak and GitLab do, without offline_access.
          issueRefreshToken: () => refreshTokens,
          // Core's clock is moved by hours.
          ...(refreshTokens ? { ttl: { IdToken: 24 * 60 * 60 } } : {}),
          rotateRefreshToken: true,
          cookies: { keys: ['cookie-key-of-the-test'] },
          conformIdTokenClaims: claimsIn === 'userinfo',
          claims: {
            openid: ['sub'],
            profile: ['name', 'preferred_username', 'groups'],
            email: ['email', 'email_verified'],
          },
          clients: [
            {
              client_id: CLIENT.id,
              client_secret: CLIENT.secret,
              grant_types,
              redirect_uris: [`${core}/sign-in/oidc/callback`],
              post_logout_redirect_uris: [`${core}/`],
              backchannel_logout_uri: `${core}/sign-in/oidc/logout`,
              backchannel_logout_session_required: true,
            },
            {
              client_id: PUBLIC_CLIENT,
              grant_types,
              redirect_uris: [`${core}/sign-in/oidc/callback`],
              token_endpoint_auth_method: 'none',
            },
          ],
          features: { devInteractions: { enabled: pages }, backchannelLogout: { enabled: true } },
          ...(pages ? {} : { interactions: { url: () => '/interaction' } }),
          findAccount(_context: unknown, accountId: string) {
            const claims = people.claims.get(accountId);
            return claims && { accountId, claims: () => ({ sub: accountId, ...claims }) };
          },
          async loadExistingGrant({ oidc }: GrantAsked) {
            const grant = new provider.Grant({
              accountId: oidc.session.accountId,
              clientId: oidc.client.clientId,
            });
            grant.addOIDCScope('openid profile email');
            await grant.save();
            return grant;
          },
          // Its own dispatcher refuses loopback, where core is.
          fetch: (input: string, { dispatcher: _, ...init }: Record<string, unknown>) => fetch(input, init),
        });
        const count = (member: keyof typeof state.refreshes) => (context: unknown) => {
          const { params } = (context as { oidc: { params?: { grant_type?: string } } }).oidc;
          if (params?.grant_type === 'refresh_token') state.refreshes[member] += 1;
        };
        provider.on('grant.success', count('accepted'));
        provider.on('grant.error', count('refused'));
        const callback = provider.callback();
        return (request, response) => {
          if (pages || request.url !== '/interaction') return callback(request, response);
          const result = { login: { accountId: people.now } };
          provider.interactionFinished(request, response, result).catch((error: unknown) => {
            response.statusCode = 500;
            response.end(String(error));
          });
        };
      };
      setKey(first);
      return (request, response) => {
        if (state.down || (state.userinfoDown && request.url === '/me')) request.socket.destroy();
        else listener(request, response);
      };
    },
    pages ? 'localhost' : undefined,
  );
  return Object.assign(state, { url, people, close, rotate: async () => setKey(await newKey()) });
}

/** What a hostile or broken provider answers; every member has a correct default. */
export interface Lies {
  /** Replaces claims of the ID token; `undefined` removes one. */
  claims?: Record<string, unknown>;
  /** The ID token itself. */
  idToken?: (claims: JWTPayload) => string | Promise<string>;
  token?: Listener;
  discovery?: Listener;
  keys?: Listener;
  metadata?: Record<string, unknown>;
  /** Signs with the key of this name; only keys in `published` are in the key set. */
  kid?: string;
  published?: readonly string[];
}

/** A provider that answers as `lies` says. It has no pages: the test makes the callback itself. */
export async function fakeProvider() {
  const lies: Lies = {};
  const keys = new Map(
    await Promise.all(['first', 'second'].map(async (kid) => [kid, await signingKey(kid)] as const)),
  );
  /** Requests by path. */
  const asked: Record<string, number> = {};
  let nonce = '';
  const json = (response: ServerResponse, body: unknown) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
  const sign = async (claims: JWTPayload, type = 'JWT') => {
    const { kid = 'first' } = lies;
    const key = keys.get(kid);
    if (key === undefined) throw new Error(`no key ${kid}`);
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: type }).sign(key.privateKey);
  };
  const { url, close } = await serve((issuer) => {
    const idToken = async () => {
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: issuer,
        aud: CLIENT.id,
        sub: 'mara',
        nonce,
        iat: now,
        exp: now + 300,
        name: 'Mara',
      };
      const all: Record<string, unknown> = { ...claims, groups: ['reviewers'], ...lies.claims };
      for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name];
      return lies.idToken === undefined ? sign(all) : lies.idToken(all);
    };
    const routes: Record<string, Listener> = {
      '/.well-known/openid-configuration': (request, response) => {
        if (lies.discovery !== undefined) return lies.discovery(request, response);
        json(response, {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
          ...lies.metadata,
        });
      },
      '/keys': (request, response) => {
        if (lies.keys !== undefined) return lies.keys(request, response);
        json(response, { keys: (lies.published ?? ['first']).map((kid) => keys.get(kid)?.publicJwk) });
      },
      '/token': (request, response) => {
        if (lies.token !== undefined) return lies.token(request, response);
        idToken().then((id_token) => json(response, { access_token: 'a', token_type: 'Bearer', id_token }));
      },
    };
    return (request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      asked[path] = (asked[path] ?? 0) + 1;
      const route = routes[path];
      if (route !== undefined) return void route(request, response);
      response.statusCode = 404;
      response.end();
    };
  });
  return {
    ...{ url, close, lies, asked, sign },
    /** The nonce that the ID token has. */
    expect(value: string) {
      nonce = value;
    },
  };
}

/** A browser as far as cookies and redirects go; cookies are kept by host and port, whatever their path. */
export function cookieBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visit = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
  return {
    visit,
    jar: (url: string) => jars.get(new URL(url).host) ?? new Map<string, string>(),
    /** Follows redirects until `until` matches a location, or to the end. Resolves with the last address and response. */
    async follow(url: string, until: RegExp = /^never$/): Promise<{ url: string; response: Response }> {
      let at = url;
      for (let step = 0; step < 12; step++) {
        const response = await visit(at);
        const location = response.headers.get('location');
        if (location === null) return { url: at, response };
        at = new URL(location, at).href;
        if (until.test(at)) return { url: at, response };
      }
      throw new Error(`too many redirects, the last to ${at}`);
    },
  };
}
