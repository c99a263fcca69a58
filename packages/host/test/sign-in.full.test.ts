import type { IncomingMessage, ServerResponse } from 'node:http';
import { publishedBody, trailerOf } from '@culprit/core/internal/pipeline/draft/trailer';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import t, { type Test } from 'tap';
import { reservePort } from '../../../bench/faults/lib/reserve-port.mjs';
import { injectionCorpus } from '../../core/test/support/injection-corpus.js';
import { escapes, ownWords, parse, unlinkedEscapes } from '../../core/test/support/markdown-tree.js';
import { TOOLS } from '../src/mcp/tools.js';
import { personOf } from '../src/server/oidc/claims.js';
import { providedAccess } from '../src/server/oidc/open-oidc.js';
import type { OidcOptions } from '../src/server/oidc/options.js';
import { transactionCookie } from '../src/server/oidc/sign-in.js';
import { createSite } from '../src/server/site.js';
import {
  type CoreBench,
  type CoreBenchOptions,
  coreBench,
  OTHER_TOKEN,
  TOKEN,
} from './support/core-bench.js';
import { hostileReads } from './support/hostile-reads.js';
import { CLIENT, cookieBrowser, fakeProvider, realProvider } from './support/openid.js';
import { webhookReceiver } from './support/webhook-receiver.js';
import { openSocket } from './support/websocket-client.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

t.test('sessions are listed and ended: one’s own, and everybody’s by an operator', async (t) => {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const { bare, api, core, close } = await coreBench({ now: () => now });
  t.teardown(close);
  const signIn = async (body: object) => {
    const headers = { 'user-agent': FIREFOX };
    const answer = await bare({ method: 'POST', path: '/api/v1/session', headers, body });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const ada = await signIn({ token: TOKEN });
  now += 60_000;
  const path = '/api/v1/session/link';
  const made = await bare({ method: 'POST', path, body: { token: OTHER_TOKEN } });
  const link = { link: made.json.url.split('#sign-in=')[1] };
  t.match(await bare({ method: 'POST', path: `${path}/holder`, body: link }), { json: { name: 'grace' } });
  const grace = await signIn(link);
  const listed = async (cookie: string, query = '') =>
    (await bare({ path: `/api/v1/sessions${query}`, headers: { cookie } })).json.sessions;
  const [own, ...rest] = await listed(ada);
  t.same(rest, []);
  t.match(own, {
    session_id: /^ses_[0-9a-f]{24}$/,
    ...{ name: 'ada', current: true, signed_in_with: 'token', projects: null },
    ...{ program: 'Firefox on Linux', network: 'loopback', opened_at: '2026-11-21T10:00:00.000Z' },
    expires_at: '2026-11-21T22:00:00.000Z',
  });
  t.notMatch(JSON.stringify(own), /Mozilla|rv:140/, 'nothing of the header');
  t.match((await api({ path: '/api/v1/sessions' })).json.sessions, [{ name: 'ada', current: false }]);
  const everybody = await listed(grace, '?everybody=true');
  t.match(everybody, [
    { name: 'grace', current: true },
    { name: 'ada', current: false },
  ]);
  now += 10 * 60_000;
  await listed(ada);
  const seen = async () => (await listed(ada))[0].seen_at;
  // Written beside the request.
  for (let at = await seen(); at !== '2026-11-21T10:11:00.000Z'; at = await seen());

  const feed = await openSocket(core.port, '/api/v1/live', { cookie: ada, origin: core.url });
  t.match(await feed.next(), { type: 'snapshot' });
  const end = (id: string, headers: Record<string, string>) =>
    bare({ method: 'DELETE', path: `/api/v1/sessions/${id}`, headers });
  t.equal((await end(own.session_id, { cookie: grace })).status, 403, 'requires the board’s origin');
  t.equal((await end('ses_unknown', { cookie: grace, origin: core.url })).status, 404);
  t.equal((await end(own.session_id, { cookie: grace, origin: core.url })).status, 204);
  t.match(await feed.closed, { code: 4401 }, 'its live feed ends');
  t.equal((await bare({ path: '/api/v1/runs', headers: { cookie: ada } })).status, 401);
  t.match(await listed(grace, '?everybody=true'), [{ name: 'grace' }]);

  for (let count = 0; count < 25; count++) await signIn({ token: TOKEN });
  t.equal((await api({ path: '/api/v1/sessions' })).json.sessions.length, 20, 'the oldest of one person end');
  t.equal((await listed(grace)).length, 1, 'others keep theirs');
});

/** A body of any shape. */
const jsonOf = async (response: Response | Promise<Response>): Promise<ReturnType<typeof JSON.parse>> =>
  (await response).json();

const oidcAt = (issuer: string, changes: Partial<OidcOptions> = {}): OidcOptions => ({
  issuer,
  ...{ clientId: CLIENT.id, clientSecret: CLIENT.secret, scopes: 'openid profile', displayName: 'Example' },
  ...{ rolesClaim: 'groups', roles: { reviewers: 'reviewer', ops: 'operator' } },
  ...{ projectsClaim: 'groups', projects: {} },
  ...changes,
});

/** Core, and oidc-provider with Mara, who is a reviewer, and Ola, who is an operator. */
async function withRealProvider(
  t: Test,
  claimsIn: 'id_token' | 'userinfo' = 'id_token',
  changes: Partial<OidcOptions> = {},
  options: CoreBenchOptions = {},
) {
  const port = await reservePort(1);
  const provider = await realProvider(`http://127.0.0.1:${port}`, claimsIn);
  t.teardown(() => provider.close());
  provider.people.claims.set('mara', { name: 'Mara Okafor', groups: ['reviewers', 'staff'] });
  provider.people.claims.set('ola', { name: 'Ola', groups: ['ops'], email: 'ola@example.com' });
  const bench = await coreBench({ ...options, port, oidc: oidcAt(provider.url, changes) });
  t.teardown(() => bench.close());
  const { url } = bench.core;
  return {
    ...{ ...bench, provider, url },
    /** A browser in which this person has signed in, and where it ended. */
    async signIn(person: string, to = '/') {
      provider.people.now = person;
      const browser = cookieBrowser();
      const end = await browser.follow(`${url}/sign-in/oidc?to=${encodeURIComponent(to)}`);
      const me = await jsonOf(browser.visit(`${url}/api/v1/session`));
      return { browser, end: end.url, me };
    },
  };
}

for (const claimsIn of ['id_token', 'userinfo'] as const) {
  t.test(`oidc-provider: sign-in, roles, second person, sign-out; claims in ${claimsIn}`, async (t) => {
    const options = { policy: { requireSecondPerson: true } };
    const { signIn, url, provider, stage, api } = await withRealProvider(t, claimsIn, {}, options);
    const id = await stage();
    const { browser, end, me } = await signIn('mara', `/?state=gate2#${id}`);
    t.equal(end, `${url}/?state=gate2#${id}`, 'back to the page that was asked for');
    t.match(me, { name: /^Mara Okafor \([0-9a-f]{8}\)$/ });
    t.notOk(browser.jar(url).has('culprit_sign_in'), 'the sign-in’s own cookie is gone');
    const write = { method: 'POST', headers: { origin: url } };
    t.equal((await browser.visit(`${url}/api/v1/runs/${id}/gate1/approve`, write)).status, 200);
    const second = await browser.visit(`${url}/api/v1/runs/${id}/gate2/approve`, write);
    t.match(await second.json(), { code: 'second_person_required', opened_by: me.name });

    const command = { ...write, body: '{}' };
    const refused = await browser.visit(`${url}/api/v1/edges/edge-1/commands`, command);
    t.match(await refused.json(), { code: 'forbidden', scope: 'operate' });
    t.match(await (await browser.visit(`${url}/api/v1/sessions`)).json(), {
      sessions: [
        {
          name: me.name,
          signed_in_with: 'provider',
          scopes: ['read', 'comment', 'investigate', 'gate1', 'gate2'],
        },
      ],
    });
    const entries = (await api({ path: `/api/v1/runs/${id}/history` })).json.entries;
    t.match(
      entries.find(({ name }: { name: string }) => name === 'gate1.approve'),
      { by: me.name, via: 'board' },
    );

    provider.people.claims.set('mara2', { name: 'Mara Okafor', groups: ['reviewers'] });
    const other = await signIn('mara2');
    t.match(other.me.name, /^Mara Okafor \(/);
    t.not(other.me.name, me.name, 'two people with one name');
    t.equal((await other.browser.visit(`${url}/api/v1/runs/${id}/gate2/approve`, write)).status, 200);

    const out = await browser.visit(`${url}/api/v1/session`, { method: 'DELETE', headers: { origin: url } });
    const { provider_url } = await jsonOf(out);
    t.match(
      provider_url,
      new RegExp(
        `^${provider.url}/session/end\\?client_id=culprit&id_token_hint=[^&]+&post_logout_redirect_uri=`,
      ),
    );
    const hint = new URL(provider_url).searchParams.get('id_token_hint') ?? '';
    const named = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString());
    t.match(named, { iss: provider.url, aud: 'culprit' }, 'the ID token of this sign-in');
    t.equal((await browser.visit(`${url}/api/v1/session`)).status, 401);
    const page = await (await browser.visit(provider_url)).text();
    t.match(page, /sign-out/, 'the provider asks');
    const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const back = await browser.visit(action, { method: 'POST', body });
    t.equal(back.headers.get('location'), `${url}/`, 'back to the board');
  });
}

t.test('oidc-provider: its logout ends the sessions of its own session, with their live feeds', async (t) => {
  const { signIn, url, provider, core } = await withRealProvider(t);
  const [first, other] = [await signIn('mara'), await signIn('mara')];
  const status = async ({ browser }: typeof first) => (await browser.visit(`${url}/api/v1/session`)).status;
  const cookie = `culprit_session=${first.browser.jar(url).get('culprit_session')}`;
  const feed = await openSocket(core.port, '/api/v1/live', { cookie, origin: url });
  t.match(await feed.next(), { type: 'snapshot' });
  const page = await (await first.browser.visit(`${provider.url}/session/end`)).text();
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ xsrf, logout: 'yes' });
  await first.browser.visit(`${provider.url}/session/end/confirm`, { method: 'POST', body });
  t.match(await feed.closed, { code: 4401 });
  t.equal(await status(first), 401);
  t.equal(await status(other), 200, 'another session at the provider goes on');
});

/** Core with the fake provider, and a browser that has begun to sign in. */
async function withFakeProvider(t: Test, changes: Partial<OidcOptions> = {}, options: CoreBenchOptions = {}) {
  const provider = await fakeProvider();
  t.teardown(() => provider.close());
  const bench = await coreBench({ ...options, oidc: oidcAt(provider.url, changes) });
  t.teardown(() => bench.close());
  const { url } = bench.core;
  /** Where core sends the browser after a callback: the problem, or `ok`. */
  const outcome = (response: Response) => {
    const to = new URL(response.headers.get('location') ?? 'http://none.invalid/', url);
    return to.searchParams.get('sign_in_problem') ?? (to.origin === url ? 'ok' : to.href);
  };
  const begin = async (browser = cookieBrowser(), to = '/') => {
    const response = await browser.visit(`${url}/sign-in/oidc?to=${encodeURIComponent(to)}`);
    const asked = new URL(response.headers.get('location') ?? 'http://none.invalid/');
    const state = asked.searchParams.get('state') ?? '';
    provider.expect(asked.searchParams.get('nonce') ?? '');
    const callback = (changed: Record<string, string> = {}) => {
      const query = new URLSearchParams({ code: 'c', state, iss: provider.url, ...changed });
      return browser.visit(`${url}/sign-in/oidc/callback?${query}`);
    };
    return { browser, response, asked, state, callback };
  };
  return { ...bench, url, provider, begin, outcome };
}

t.test('a sign-in that begins: PKCE, state, nonce, cookie flags, no open redirect', async (t) => {
  const { url, begin, outcome, core } = await withFakeProvider(t);
  const { asked, response, callback, browser } = await begin();
  t.match(Object.fromEntries(asked.searchParams), {
    ...{
      client_id: CLIENT.id,
      response_type: 'code',
      scope: 'openid profile',
      code_challenge_method: 'S256',
    },
    ...{ redirect_uri: `${url}/sign-in/oidc/callback`, state: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/ },
    code_challenge: /^[\w-]{43}$/,
  });
  t.match(
    response.headers.get('set-cookie'),
    /^culprit_sign_in=[\w-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
  );
  const done = await callback();
  t.equal(outcome(done), 'ok');
  t.match(done.headers.getSetCookie(), [
    /^culprit_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    /^culprit_sign_in=; .*Max-Age=0/,
  ]);
  const before = browser.jar(url).get('culprit_session');
  const cookie = `culprit_session=${before}`;
  const feed = await openSocket(core.port, '/api/v1/live', { cookie, origin: url });
  t.match(await feed.next(), { type: 'snapshot' });
  const again = await begin(browser);
  t.equal(outcome(await again.callback()), 'ok');
  t.match(await feed.closed, { code: 4401 }, 'the live feed of the session before ends');
  t.not(browser.jar(url).get('culprit_session'), before, 'each sign-in has a new session');
  t.equal(
    (await fetch(`${url}/api/v1/session`, { headers: { cookie } })).status,
    401,
    'and ends the one before',
  );

  for (const to of [
    ...[
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
    ],
    ...[
      '/..//evil.example',
      '/%2e%2e//evil.example',
      ' //evil.example',
      '/\t/evil.example',
      'evil.example',
      '',
    ],
    ...['/sign-in/oidc?to=/', `/${'a'.repeat(2_000)}`, '/\r\nset-cookie: a=b'],
  ]) {
    const { callback } = await begin(cookieBrowser(), to);
    t.equal((await callback()).headers.get('location'), '/', JSON.stringify(to.slice(0, 40)));
  }
  const { callback: back } = await begin(cookieBrowser(), '/outbox/1?a=b#c');
  t.equal((await back()).headers.get('location'), '/outbox/1?a=b#c');
});

t.test('answers of the provider that are refused', async (t) => {
  const { url, provider, begin, outcome, core, bare } = await withFakeProvider(t);
  const { lies } = provider;
  const now = () => Math.floor(Date.now() / 1_000);
  const cases: readonly (readonly [string, typeof lies, string])[] = [
    ['everything correct', {}, 'ok'],
    ['another audience', { claims: { aud: 'another-client' } }, 'answer_refused'],
    [
      'several audiences, issued to another',
      { claims: { aud: [CLIENT.id, 'b'], azp: 'b' } },
      'answer_refused',
    ],
    ['another issuer', { claims: { iss: 'https://evil.example' } }, 'answer_refused'],
    ['another nonce', { claims: { nonce: 'n'.repeat(43) } }, 'answer_refused'],
    ['no nonce', { claims: { nonce: undefined } }, 'answer_refused'],
    ['no subject', { claims: { sub: undefined } }, 'answer_refused'],
    ['expired beyond the tolerance', { claims: { exp: now() - 120 } }, 'answer_refused'],
    ['expired within it', { claims: { exp: now() - 2 } }, 'ok'],
    ['issued in the future beyond it', { claims: { iat: now() + 600 } }, 'answer_refused'],
    ['issued in the future within it', { claims: { iat: now() + 20 } }, 'ok'],
    ['not yet valid', { claims: { nbf: now() + 600 } }, 'answer_refused'],
    ['unsigned', { idToken: (claims) => new UnsecuredJWT(claims).encode() }, 'answer_refused'],
    ['signed with the client’s secret', { idToken: (claims) => hmacSigned(claims) }, 'answer_refused'],
    [
      'changed after signing',
      { idToken: async (claims) => forged(await provider.sign(claims)) },
      'answer_refused',
    ],
    ['signed with an unknown key', { kid: 'second' }, 'answer_refused'],
    ['no role', { claims: { groups: ['strangers'] } }, 'no_role'],
    ['no claim', { claims: { groups: undefined } }, 'no_role'],
    ['a claim of another type', { claims: { groups: { reviewers: true } } }, 'no_role'],
    ['names of objects', { claims: { groups: ['__proto__', 'constructor', '*'] } }, 'no_role'],
    [
      'thousands of groups, the role among the first',
      { claims: { groups: ['reviewers', ...many(20_000)] } },
      'ok',
    ],
    ['a megabyte of claims', { claims: { junk: 'x'.repeat(1_000_000) } }, 'answer_refused'],
    ['not JSON', { token: (_request, response) => response.end('<html>') }, 'answer_refused'],
    [
      'no ID token',
      { token: (_request, response) => sendJson(response, { access_token: 'a', token_type: 'bearer' }) },
      'answer_refused',
    ],
    [
      'the code was used',
      { token: (_request, response) => sendJson(response, { error: 'invalid_grant' }, 400) },
      'expired',
    ],
    [
      'a wrong secret',
      { token: (_request, response) => sendJson(response, { error: 'invalid_client' }, 401) },
      'client_refused',
    ],
    [
      'the provider fails',
      { token: (_request, response) => sendJson(response, {}, 503) },
      'provider_unreachable',
    ],
    [
      'the provider redirects',
      { token: (_request, response) => response.writeHead(302, { location: url }).end() },
      'answer_refused',
    ],
    ['the provider hangs up', { token: (request) => request.socket.destroy() }, 'provider_unreachable'],
  ];
  for (const [what, lie, problem] of cases) {
    for (const name of Object.keys(lies)) delete lies[name as keyof typeof lies];
    Object.assign(lies, lie);
    const { callback, browser } = await begin();
    t.equal(outcome(await callback()), problem, what);
    const { status } = await browser.visit(`${url}/api/v1/session`);
    t.equal(status, problem === 'ok' ? 200 : 401, `${what}: session`);
  }
  for (const name of Object.keys(lies)) delete lies[name as keyof typeof lies];

  const callbacks: readonly (readonly [string, Record<string, string>, string])[] = [
    ['another state', { state: 's'.repeat(43) }, 'expired'],
    ['no state', { state: '' }, 'expired'],
    ['another issuer', { iss: 'https://evil.example' }, 'answer_refused'],
    ['no issuer, which the provider promises', { iss: '' }, 'answer_refused'],
    ['cancelled', { error: 'access_denied', code: '' }, 'cancelled'],
    ['refused', { error: 'server_error', code: '' }, 'provider_refused'],
    ['a token in the address', { id_token: 'x' }, 'answer_refused'],
  ];
  for (const [what, changed, problem] of callbacks) {
    const { callback } = await begin();
    t.equal(outcome(await callback(changed)), problem, `callback: ${what}`);
  }
  const { callback, state } = await begin();
  t.equal(outcome(await callback()), 'ok');
  const tokens = provider.asked['/token'];
  t.equal(outcome(await callback()), 'expired', 'a replayed callback');
  const stranger = await bare({ path: `/sign-in/oidc/callback?code=c&state=${state}&iss=${provider.url}` });
  t.match(
    stranger.headers.location,
    /sign_in_problem=expired/,
    'login CSRF: a browser that began no sign-in',
  );
  t.notOk(stranger.headers['set-cookie']?.includes('culprit_session'));
  t.equal(provider.asked['/token'], tokens, 'the provider is not asked');
  for (const cookie of [
    'culprit_sign_in=x',
    `culprit_sign_in=${'A'.repeat(5_000)}`,
    `culprit_sign_in=${base64url({ state: 1 })}`,
  ]) {
    const answer = await bare({ path: `/sign-in/oidc/callback?code=c&state=${state}`, headers: { cookie } });
    t.match(answer, { status: 303, headers: { location: /expired/ } });
  }
  t.equal(core.url, url);
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `group-${at}`);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmacSigned = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.secret));
/** With another subject and the signature of the first. */
function forged(jwt: string): string {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  return [head, base64url({ ...claims, sub: 'root' }), signature].join('.');
}
function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

t.test('a rotated key, and a provider that is gone: tokens still work, and core stays ready', async (t) => {
  let now = Date.now();
  const { url, provider, begin, outcome, api, bare } = await withFakeProvider(t, {}, { now: () => now });
  // Core's clock stands still, so that a slow machine changes nothing.
  const iat = Math.floor(now / 1_000);
  provider.lies.claims = { iat, exp: iat + 3_600 };
  const signIn = async () => outcome(await (await begin()).callback());
  t.equal(await signIn(), 'ok');
  Object.assign(provider.lies, { kid: 'second', published: ['second'] });
  t.equal(await signIn(), 'answer_refused', 'keys are not read again within ten seconds');
  const { '/keys': read } = provider.asked;
  now += 11_000;
  t.equal(await signIn(), 'ok');
  t.equal(provider.asked['/keys'], (read ?? 0) + 1);
  await provider.close();
  t.equal(outcome(await (await begin()).callback()), 'provider_unreachable');
  const other = await coreBench({ oidc: oidcAt(provider.url) });
  t.teardown(() => other.close());
  const begun = await other.bare({ path: '/sign-in/oidc?to=/%3Fstate=gate2%23run_1' });
  t.match(begun, {
    status: 303,
    headers: { location: '/?state=gate2&sign_in_problem=provider_unreachable#run_1' },
  });
  t.match((await other.bare({ path: '/api/v1/sign-in' })).json, {
    provider: { name: 'Example', path: '/sign-in/oidc', problem: 'provider_unreachable' },
  });
  t.equal((await other.api({ path: '/api/v1/runs' })).status, 200);
  await staysReady(t, other);
  t.equal((await api({ path: '/api/v1/runs' })).status, 200);
  t.equal((await bare({ method: 'POST', path: '/sign-in/oidc/logout', body: 'logout_token=x' })).status, 400);
  t.ok(url);
  const none = await coreBench();
  t.teardown(() => none.close());
  t.equal((await none.bare({ path: '/sign-in/oidc' })).status, 404, 'off');
  t.same((await none.bare({ path: '/api/v1/sign-in' })).json, { provider: null });
});

/** Accepts the request and never answers. */
const hang = () => {};
/** Begins an answer and never ends it. */
function stall(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{');
}

/** Core is ready, or will be once its own checks have the time: sign-in is none of them. */
async function staysReady(t: Test, { bare }: Pick<CoreBench, 'bare'>): Promise<void> {
  const look = () => bare({ path: '/readyz' });
  let found = await look();
  while (found.status !== 200) found = await look();
  t.notMatch(found.text, /sign|oidc|provider/);
}

// Each waits for the limit of five seconds; together they wait once.
t.test('a provider that never answers: a problem, and core stays ready', { timeout: 300_000 }, async (t) => {
  const works = async (bench: Pick<CoreBench, 'bare' | 'api'>) => {
    await staysReady(t, bench);
    t.equal((await bench.api({ path: '/api/v1/runs' })).status, 200);
    t.match((await bench.bare({ path: '/api/v1/sign-in' })).json, { provider: { name: 'Example' } });
  };
  const discovery = async () => {
    const provider = await fakeProvider();
    t.teardown(() => provider.close());
    provider.lies.discovery = hang;
    const bench = await coreBench({ oidc: oidcAt(provider.url) });
    t.teardown(() => bench.close());
    const begun = bench.bare({ path: '/sign-in/oidc?to=/' });
    await works(bench);
    const location = '/?sign_in_problem=provider_unreachable';
    t.match(await begun, { status: 303, headers: { location } });
    await works(bench);
  };
  const afterwards = async (lie: Partial<Awaited<ReturnType<typeof fakeProvider>>['lies']>) => {
    const bench = await withFakeProvider(t);
    const { callback, browser } = await bench.begin();
    Object.assign(bench.provider.lies, lie);
    const finished = callback();
    await works(bench);
    t.equal(bench.outcome(await finished), 'provider_unreachable');
    t.equal((await browser.visit(`${bench.url}/api/v1/session`)).status, 401);
  };
  await Promise.all([discovery(), afterwards({ token: stall }), afterwards({ keys: hang })]);
});

t.test('the injection corpus as names: history, webhooks, MCP, issues', { timeout: 300_000 }, async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: { allowedHosts: ['127.0.0.1'] } });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const webhook = { name: 'ops', url: receiver.url, events: ['run.commented'] };
  t.equal((await bench.api({ method: 'POST', path: '/api/v1/webhooks', body: webhook })).status, 201);
  const words = ownWords([new URL('../src/mcp/', import.meta.url)]);
  const evidence = TOOLS.find(({ name }) => name === 'get_evidence');
  const reads = hostileReads('x');
  const run = await reads.getRun({ run_id: 'r' });
  const run_id = await bench.stage();
  const names = new Set<string>();
  for (const { id, text } of injectionCorpus().flatMap(({ cases }) => cases)) {
    const found = personOf(
      { iss: 'https://id.example', sub: id, name: text, groups: ['reviewers'] },
      oidcAt('https://id.example'),
    );
    const name = found.problem ?? found.name;
    t.match(name, /^(?=.*[\p{L}\p{N}].* \()[\p{L}\p{M}\p{N} ._@'’-]{1,66} \([0-9a-f]{8}\)$/u, id);
    names.add(name);
    const sha = 'a'.repeat(64);
    const issue = publishedBody(
      'It fails.',
      trailerOf({
        ...{ run_id: 'run_1', digest: sha, marker: sha, explanation: 'template', model: null },
        ...{ signer: name, edited: true },
      }),
    );
    t.same(escapes(parse(issue), new Set([...words, 'It', 'fails'])), [], id);
    t.match(issue, `${name.slice(-11)}\` · `, `${id}: two people with one name differ in the issue too`);
    const draft = run.draft && { ...run.draft, edited_by: name };
    const answer =
      (await evidence?.call({ ...reads, getRun: async () => ({ ...run, draft }) }, { run_id })) ?? '';
    t.ok(answer.includes(`The draft was edited by `), id);
    t.same(unlinkedEscapes(answer, words), [], id);
    await bench.engine.comment(run_id, { name, via: 'board' }, { comment: 'Seen.' });
  }
  const history = await bench.engine.history(run_id);
  const by = history.filter(({ name }) => name === 'comment').map(({ by }) => by);
  t.same(new Set(by), names, 'the history has them as they are');
  await receiver.until(() => new Set(receiver.received.map(({ body }) => body)).size >= by.length);
  const sent = receiver.received.map(({ json }) => json.data.change.by as string);
  t.same(
    sent.filter((name) => !/^[\p{L}\p{M}\p{N} ._@'’()[\]:-]+$/u.test(name)),
    [],
    'webhooks have nothing more',
  );
});

t.test('claims: names, verified mail, projects, and roles that are taken away', (t) => {
  const options = oidcAt('https://id.example', { projects: { shop: 'shop', all: '*' } });
  const person = (claims: Record<string, unknown>, changes: Partial<OidcOptions> = {}) =>
    personOf(
      { iss: 'https://id.example', sub: 's', groups: ['reviewers', 'shop'], ...claims },
      { ...options, ...changes },
    );
  const nameOf = (name: unknown) => {
    const found = person({ name });
    return found.problem === undefined ? found.name : found.problem;
  };
  const tag = / \([0-9a-f]{8}\)$/;
  for (const [given, shown] of [
    ['<b>ada</b> (00000000)', 'badab 00000000'],
    ['ada\u202e\u200b\n\tx', 'ada x'],
    ['[x](https://evil.example) `y` @', 'xhttpsevil.example y @'],
    [`a${'\u0301'.repeat(50)}`, 'á\u0301\u0301'],
    ['x'.repeat(10_000), 'x'.repeat(64)],
    ['\u0000', 'Unnamed'],
    [{ toString: 'x' }, 'Unnamed'],
  ] as const) {
    t.equal(nameOf(given).replace(tag, ''), shown);
    t.match(nameOf(given), tag);
  }
  t.match(nameOf('\u0430d\u0430'), tag, 'a homoglyph of a token’s name has a subject');
  t.match(person({ groups: ['reviewers'] }), { problem: 'no_project' });
  const byMail = { rolesClaim: 'email', roles: { 'mara@example.com': 'reader' } } as const;
  const mail = { email: 'mara@example.com', name: 'Mara' };
  t.match(
    person(mail, byMail),
    { problem: 'no_role', provided: { roles: [] } },
    'a mail address that nobody has verified',
  );
  const found = person({ ...mail, email_verified: true }, byMail);
  t.notMatch(JSON.stringify(found), /example.com.*Mara/);
  const nested = { rolesClaim: 'realm_access.roles' };
  t.ok(person({ realm_access: { roles: ['ops'] } }, nested).problem === undefined);

  const { provided } = person({}) as { provided: Parameters<ReturnType<typeof providedAccess>>[1] };
  t.equal(providedAccess(null)('any', provided), null);
  t.equal(providedAccess(options)('of another provider', provided), null);

  const site = createSite({ publicUrl: 'https://culprit.example', port: 1, allowedHosts: [] });
  t.match(
    transactionCookie(null, site),
    /^__Host-culprit_sign_in=; HttpOnly; SameSite=Lax; Path=\/; .*; Secure$/,
  );
  t.end();
});
