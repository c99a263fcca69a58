import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { reservePort } from '../../../bench/faults/lib/reserve-port.mjs';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { checkProvider } from '../src/server/oidc/check-provider.js';
import {
  type OidcOptions,
  type OidcSettings,
  oidcOptions,
  SIGN_IN_PROBLEMS,
} from '../src/server/oidc/options.js';
import { unseal } from '../src/server/sealed.js';
import { boardBench, CHROMIUM, decisionKey, overflow, visit } from './support/board-bench.js';
import { coreBench } from './support/core-bench.js';
import {
  CLIENT,
  cookieBrowser,
  fakeProvider,
  type Lies,
  PUBLIC_CLIENT,
  realProvider,
} from './support/openid.js';
import { culprit } from './support/run-culprit.js';
import { up } from './support/up.js';
import { openSocket } from './support/websocket-client.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';
const SITE = 'http://127.0.0.1:65000';

const at = (issuer: string, changes: Partial<OidcSettings> = {}): OidcOptions =>
  oidcOptions({
    ...{ issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, displayName: 'Example' },
    roles: { 'shop-leads': 'reviewer@shop', guests: 'reader' },
    ...changes,
  });

const DOCTOR = {
  'sign-in provider': /describes itself/,
  'sign-in clock': /^\d+ s off the provider$/,
  'sign-in keys': /^1 published; .*RS256/,
  'sign-in flow': /^Authorization Code; PKCE with S256$/,
  'sign-in scopes': /^openid profile$/,
  'sign-in redirect': /\/sign-in\/oidc\/callback is registered$/,
  'sign-out': /^leads to the provider, too; the provider can end sessions at .*\/sign-in\/oidc\/logout$/,
};

t.test('doctor examines a real provider', async (t) => {
  const provider = await realProvider(SITE, 'id_token');
  t.teardown(() => provider.close());
  const { stdout } = await culprit(['doctor', '--json'], {
    env: {
      ...{ EDGE_PORT: '0', CORE_PORT: '0', DATA_DIR: `${t.testdir()}/data`, PUBLIC_URL: SITE },
      ...{ OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
      OIDC_ROLES: 'shop-leads=reviewer@shop',
    },
  });
  const { checks } = JSON.parse(stdout) as {
    checks: readonly { name: string; status: string; detail: string }[];
  };
  for (const [name, detail] of Object.entries(DOCTOR))
    t.match(
      checks.find((one) => one.name === name),
      { status: 'ok', detail },
      name,
    );
  const codes = async (options: OidcOptions, site = SITE) => {
    const found = await checkProvider({ options, site, now: Date.now });
    return found.flatMap(({ ok, code }) => (ok ? [] : [code]));
  };
  t.same(await codes(at(provider.url), 'http://127.0.0.1:65001'), ['redirect_refused'], 'another address');
  t.same(await codes(at(provider.url, { clientId: 'unknown' })), ['redirect_refused'], 'another client');
  t.same(await codes(at(`${provider.url}/realms/acme`)), ['discovery_invalid'], 'another path');
  t.same(await codes(at(provider.url, { scopes: 'openid groups' })), ['scope_unsupported']);
  t.same(await codes(at('http://127.0.0.1:1')), ['provider_unreachable']);
});

t.test('a public client signs in without a secret', async (t) => {
  const port = await reservePort(1);
  const provider = await realProvider(`http://127.0.0.1:${port}`, 'id_token');
  t.teardown(() => provider.close());
  provider.people.claims.set('mara', { name: 'Mara', groups: ['guests'] });
  provider.people.now = 'mara';
  const { core, close } = await coreBench({
    ...{ port, oidc: at(provider.url, { clientId: PUBLIC_CLIENT, clientSecret: null }) },
  });
  t.teardown(close);
  const browser = cookieBrowser();
  await browser.follow(`${core.url}/sign-in/oidc?to=/`);
  const me = await (await browser.visit(`${core.url}/api/v1/session`)).json();
  t.match(me, { name: /^Mara \(/, scopes: ['read'] });
});

t.test('a real provider whose clock differs from that of core', async (t) => {
  const warp = new URL('../../../bench/faults/publish/warp.mjs', import.meta.url);
  const outcome = async (aheadMs: number): Promise<string> => {
    const port = await reservePort(1);
    const provider = await realProvider(`http://127.0.0.1:${port}`, 'id_token');
    t.teardown(() => provider.close());
    provider.people.claims.set('mara', { name: 'Mara', groups: ['guests'] });
    provider.people.now = 'mara';
    const env = {
      ...{ NODE_OPTIONS: `--import ${warp.href}`, WARP_AHEAD: String(aheadMs) },
      ...{ OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
      OIDC_ROLES: 'guests=reader',
    };
    const servers = await up(temporaryFolder(t, 'skew'), env, port);
    t.teardown(servers.stop);
    const browser = cookieBrowser();
    const { url } = await browser.follow(`${servers.core}/sign-in/oidc?to=/`);
    const { status } = await browser.visit(`${servers.core}/api/v1/session`);
    return new URL(url).searchParams.get('sign_in_problem') ?? String(status);
  };
  const [behind, slow, fast, ahead] = await Promise.all([-120_000, -40_000, 40_000, 7_200_000].map(outcome));
  t.equal(behind, 'answer_refused', 'core is two minutes behind: the token is from the future');
  t.equal(slow, '200', 'within the tolerance');
  t.equal(fast, '200', 'within the tolerance');
  t.equal(ahead, 'answer_refused', 'core is two hours ahead: the token has expired');
});

t.test('a real provider that rotates its key', async (t) => {
  let ahead = 0;
  const port = await reservePort(1);
  const provider = await realProvider(`http://127.0.0.1:${port}`, 'id_token');
  t.teardown(() => provider.close());
  provider.people.claims.set('mara', { name: 'Mara', groups: ['guests'] });
  provider.people.now = 'mara';
  const { core, close } = await coreBench({ port, oidc: at(provider.url), now: () => Date.now() + ahead });
  t.teardown(close);
  const signIn = async () => {
    const browser = cookieBrowser();
    const { url } = await browser.follow(`${core.url}/sign-in/oidc?to=/`);
    const { status } = await browser.visit(`${core.url}/api/v1/session`);
    return { browser, is: new URL(url).searchParams.get('sign_in_problem') ?? String(status) };
  };
  const before = await signIn();
  t.equal(before.is, '200');
  await provider.rotate();
  // Keys are read again for an unknown one, but not at once.
  ahead += 11_000;
  const after = await signIn();
  t.equal(after.is, '200', 'signed with the new key');
  const status = async ({ browser }: typeof after) =>
    (await browser.visit(`${core.url}/api/v1/session`)).status;
  t.equal(await status(before), 200, 'whoever was signed in stays so');
  const page = await (await after.browser.visit(`${provider.url}/session/end`)).text();
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ xsrf, logout: 'yes' });
  await after.browser.visit(`${provider.url}/session/end/confirm`, { method: 'POST', body });
  t.equal(await status(after), 401, 'its order to end a session, signed with the new key, is followed');
  t.equal(await status(before), 200, 'another session goes on');
});

const MINUTE = 60_000;

/** Core and oidc-provider, which gives refresh tokens, with Mara; core's clock can be moved. */
async function withRefreshTokens(
  t: Test,
  claimsIn: 'id_token' | 'userinfo' = 'id_token',
  storageUrl?: string,
) {
  const port = await reservePort(1);
  const provider = await realProvider(`http://127.0.0.1:${port}`, claimsIn, { refreshTokens: true });
  t.teardown(() => provider.close());
  const groups = (...names: readonly string[]) =>
    provider.people.claims.set('mara', { name: 'Mara', groups: [...names] });
  groups('shop-leads', 'guests');
  provider.people.now = 'mara';
  const clock = { ahead: 0 };
  const options = { oidc: at(provider.url), now: () => Date.now() + clock.ahead };
  const bench = await coreBench({ ...options, port, moreProjects: ['shop'] }, storageUrl);
  t.teardown(bench.close);
  const { url } = bench.core;
  const signIn = async () => {
    const browser = cookieBrowser();
    await browser.follow(`${url}/sign-in/oidc?to=/`);
    const id = browser.jar(url).get('culprit_session') ?? '';
    const headers = { cookie: `culprit_session=${id}`, origin: url };
    const at = (core: string) => fetch(`${core}/api/v1/session`, { headers });
    const status = async (core = url) => (await at(core)).status;
    return {
      id,
      headers,
      status,
      detail: async () => String(((await (await at(url)).json()) as { detail: unknown }).detail),
    };
  };
  return { ...{ bench, url, provider, groups, clock, options, signIn } };
}

for (const claimsIn of ['id_token', 'userinfo'] as const) {
  t.test(
    `a role that is lost at a real provider acts within a quarter of an hour; claims in ${claimsIn}`,
    async (t) => {
      const { bench, url, provider, groups, clock, signIn } = await withRefreshTokens(t, claimsIn);
      const [first, other] = [await signIn(), await signIn()];
      const made = await fetch(`${url}/api/v1/tokens`, {
        ...{ method: 'POST', headers: { ...first.headers, 'content-type': 'application/json' } },
        body: JSON.stringify({ name: 'bot', scopes: ['read'], projects: null, expires_in_days: 1 }),
      });
      t.equal(made.status, 403, 'only operators make tokens');
      groups('guests', 'shop-leads', 'more');
      for (const minutes of [14, 16, 40]) {
        clock.ahead = minutes * MINUTE;
        t.equal(await first.status(), 200, `after ${minutes} minutes`);
      }
      t.equal(
        provider.refreshes.accepted,
        2,
        'asked after 16 and 40 minutes, with the token of the answer before',
      );
      const feed = await openSocket(bench.core.port, '/api/v1/live', first.headers);
      t.match(await feed.next(), { type: 'snapshot' });
      groups('guests');
      t.equal(await first.status(), 200, 'not yet');
      clock.ahead = 56 * MINUTE;
      t.match(await feed.closed, { code: 4009 }, 'an open feed has to come again');
      const again = await openSocket(bench.core.port, '/api/v1/live', first.headers).catch(String);
      t.match(again, /401/);
      t.equal(await first.status(), 401, 'the session has ended');
      t.equal(await other.status(), 401, 'and that of the other browser');
      const third = await signIn();
      const answer = await fetch(`${url}/api/v1/session`, { headers: third.headers });
      t.match(
        ((await answer.json()) as { grants: unknown }).grants,
        [{ scopes: ['read'], projects: null }],
        'signing in gives what is left',
      );
      provider.people.claims.delete('mara');
      clock.ahead += 16 * MINUTE;
      t.equal(await third.status(), 401, 'the provider refuses: the person is blocked');
      t.equal(provider.refreshes.refused, 1);
    },
  );
}

t.test('a real provider that is down ends no session at once', async (t) => {
  const { provider, clock, signIn } = await withRefreshTokens(t);
  const mara = await signIn();
  provider.down = true;
  for (const minutes of [16, 17.5, 59]) {
    clock.ahead = minutes * MINUTE;
    t.equal(await mara.status(), 200, `after ${minutes} minutes`);
  }
  clock.ahead = 61 * MINUTE;
  t.match(await mara.detail(), /could not be asked for an hour/);
  t.equal(await mara.status(), 401);
  provider.down = false;
  t.equal(await mara.status(), 401, 'it is asked at most once a minute');
  clock.ahead = 63 * MINUTE;
  t.equal(await mara.status(), 200, 'the session goes on');
  t.equal(provider.refreshes.accepted, 1);
});

t.test('claims that cannot be read do not waste the refresh token', async (t) => {
  const { provider, clock, signIn } = await withRefreshTokens(t, 'userinfo');
  const mara = await signIn();
  provider.userinfoDown = true;
  for (const minutes of [16, 18]) {
    clock.ahead = minutes * MINUTE;
    t.equal(await mara.status(), 200, `after ${minutes} minutes`);
  }
  t.equal(provider.refreshes.accepted, 2, 'each with the token of the answer before');
  clock.ahead = 61 * MINUTE;
  t.equal(await mara.status(), 401, 'nothing is confirmed by that');
  provider.userinfoDown = false;
  clock.ahead = 63 * MINUTE;
  t.equal(await mara.status(), 200);
  t.equal(provider.refreshes.refused, 0);
});

t.test('who signs out while the provider is down is signed out', async (t) => {
  const { url, provider, clock, signIn } = await withRefreshTokens(t);
  const mara = await signIn();
  provider.down = true;
  clock.ahead = 61 * MINUTE;
  const left = await fetch(`${url}/api/v1/session`, { method: 'DELETE', headers: mara.headers });
  t.equal(left.status, 200);
  provider.down = false;
  clock.ahead = 63 * MINUTE;
  t.equal(await mara.status(), 401, 'for good');
});

t.test(
  'two cores on one Redis ask with one token once, and it cannot be read there',
  { skip: skipRedis },
  async (t) => {
    const redis = await startRedis();
    t.teardown(redis.close);
    const { bench, url, provider, groups, clock, options, signIn } = await withRefreshTokens(
      t,
      'id_token',
      redis.url(),
    );
    const second = await coreBench(options, redis.url());
    t.teardown(second.close);
    const mara = await signIn();
    const key = `session:${createHash('sha256').update(mara.id).digest('hex')}`;
    const sealed = async () =>
      JSON.parse((await bench.engine.values.get(key)) ?? '{}').confirmation.sealed as string;
    const token = unseal(await sealed(), mara.id) ?? '';
    t.match(token, /^[\w-]{43}$/, 'with the id of the session');
    t.notOk((await bench.engine.values.get(key))?.includes(token));
    t.equal(unseal(await sealed(), (await signIn()).id), null, 'not with another');
    t.equal(unseal('x', mara.id), null);
    for (const round of [1, 2]) {
      clock.ahead += 16 * MINUTE;
      const all = Array.from({ length: 20 }, (_, number) => mara.status(number % 2 ? url : second.core.url));
      t.same(new Set(await Promise.all(all)), new Set([200]));
      t.equal(provider.refreshes.accepted, round, 'a second use would have ended it at the provider');
    }
    t.not(unseal(await sealed(), mara.id), token, 'the provider gives a new one each time');
    groups();
    clock.ahead += 16 * MINUTE;
    const all = Array.from({ length: 20 }, (_, number) => mara.status(number % 2 ? url : second.core.url));
    t.same(
      new Set(await Promise.all(all)),
      new Set([401]),
      'no request slips through beside the one that asks',
    );
  },
);

t.test('what doctor finds wrong with a provider has a code', async (t) => {
  const fake = await fakeProvider();
  t.teardown(() => fake.close());
  const metadata = (changes: Record<string, unknown>): Lies => ({ metadata: changes });
  const cases: readonly (readonly [string, Lies, Partial<OidcSettings>?])[] = [
    ['discovery_invalid', metadata({ token_endpoint: 7 })],
    ['discovery_invalid', { discovery: (_request, response) => response.end('<html>') }],
    ['issuer_mismatch', metadata({ issuer: 'https://id.example/other' })],
    ['algorithms_unsupported', metadata({ id_token_signing_alg_values_supported: ['HS256', 'none'] })],
    ['keys_unreadable', { keys: (_request, response) => response.end('{"keys":[]}') }],
    ['flow_unsupported', metadata({ response_types_supported: ['id_token'] })],
    ['pkce_unsupported', metadata({ code_challenge_methods_supported: ['plain'] })],
    [
      'client_authentication_unsupported',
      metadata({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
    ],
    ['client_authentication_unsupported', {}, { clientSecret: null }],
    ['scope_unsupported', metadata({ scopes_supported: ['openid'] })],
    [
      'request_refused',
      {
        ...metadata({ authorization_endpoint: `${fake.url}/token` }),
        token: (_request, response) => {
          response.writeHead(302, { location: `${SITE}/sign-in/oidc/callback?error=invalid_scope` }).end();
        },
      },
    ],
    ['provider_unreachable', metadata({ authorization_endpoint: 'http://127.0.0.1:1/auth' })],
  ];
  for (const [code, lies, changes] of cases) {
    for (const name of Object.keys(fake.lies)) delete fake.lies[name as keyof Lies];
    Object.assign(fake.lies, lies);
    const found = await checkProvider({ options: at(fake.url, changes), site: SITE, now: Date.now });
    t.match(
      found.filter((one) => one.code === code),
      [{ ok: false, detail: new RegExp(`\\. \\(${code}\\)$`) }],
      code,
    );
  }
  for (const name of Object.keys(fake.lies)) delete fake.lies[name as keyof Lies];
  const later = await checkProvider({ options: at(fake.url), site: SITE, now: () => Date.now() + 120_000 });
  t.match(
    later.find(({ name }) => name === 'sign-in clock'),
    { ok: false, code: 'clock_difference' },
  );
});

/** Moves the focus with the Tab key to the element of this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = `(() => { const at = document.activeElement; return at?.getAttribute('aria-label') ?? at?.textContent ?? ''; })()`;
  for (let step = 0; step < 40; step++) {
    if (name.test(String(await page.evaluate(focused)))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Core with two projects, and oidc-provider with its own pages, on another site. */
async function withPages(t: Test) {
  const port = await reservePort(1);
  const core = `http://127.0.0.1:${port}`;
  const provider = await realProvider(core, 'id_token', { pages: true });
  t.teardown(() => provider.close());
  const claims = (groups: readonly string[]) => ({ name: 'Mara Okafor', groups: [...groups] });
  provider.people.claims.set('mara', claims(['shop-leads', 'guests']));
  provider.people.claims.set('stranger', claims([]));
  const bench = await boardBench(t, { port, oidc: at(provider.url), moreProjects: ['shop', 'web'] });
  return { bench, core, provider };
}

async function openAndPress(t: Test, url: string) {
  const seen = await visit(t, 'about:blank');
  // The provider's page asks for a font of another server.
  await seen.page.route(/fonts\.googleapis\.com/, (route) => route.abort());
  await seen.page.goto(url);
  await seen.page.getByRole('link', { name: 'Sign in with Example' }).waitFor();
  await pressButton(seen.page);
  return seen;
}

/** By keyboard, as everything here. */
async function pressButton(page: Page): Promise<void> {
  await page.getByLabel('Reviewer token').waitFor();
  await page.keyboard.press('Shift+Tab');
  await tabTo(page, /^Sign in with Example$/);
  await page.keyboard.press('Enter');
  await page.getByPlaceholder('Enter any login').waitFor();
}

async function logIn(page: Page, account: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').focus();
  await page.keyboard.type(account);
  await page.keyboard.press('Tab');
  await page.keyboard.type('any password');
  await page.keyboard.press('Enter');
}

t.test(
  'a person signs in at the provider by keyboard, reviews one project, and signs out',
  { skip },
  async (t) => {
    const { bench, core } = await withPages(t);
    const shop = await bench.stage('boom in the shop', 'shop');
    const web = await bench.stage('boom on the web', 'web');
    const { page, problems } = await openAndPress(t, `${core}/?state=gate1#${web}`);
    await logIn(page, 'mara');
    await page.locator('.connection[data-state=live]').waitFor();
    t.equal(page.url(), `${core}/?state=gate1#${web}`, 'back to the page that was asked for');

    const bar = page.locator('.gate-bar[data-gate="Gate 1"]');
    await bar.getByText('in the project web. It needs the scope “gate1”.').waitFor();
    t.equal(await bar.getByRole('button', { name: /Approve/ }).isDisabled(), true);
    t.equal(await page.getByRole('button', { name: /Comment/ }).isDisabled(), true);
    await decisionKey(page, 'r');
    t.equal(await page.getByRole('dialog').count(), 0, 'nor by its key');
    await page.keyboard.press('*');
    await page.getByText('2 selected').waitFor();
    await decisionKey(page, 'r');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your role does not include this in the projects of 1 selected run').waitFor();
    t.match(await dialog.textContent(), /Reject 1 run\?.*boom in the shop/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.evaluate(`location.hash = '#${shop}'`);
    await page
      .getByRole('heading', { name: /boom in the shop/ })
      .first()
      .waitFor();
    await decisionKey(page, 'a');
    await page.getByRole('dialog', { name: 'Approve Gate 1?' }).waitFor();
    await page.keyboard.press('Escape');
    t.equal((await bench.engine.run(web)).state, 'staged_raw');

    await tabTo(page, /^Sign out$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Yes, sign me out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
    t.equal(page.url(), `${core}/`, 'back on the board, signed out at both');
    await pressButton(page);
    t.same(problems, []);
  },
);

t.test('what the sign-in page says when it fails', { skip }, async (t) => {
  const { core } = await withPages(t);
  const { page, problems } = await openAndPress(t, `${core}/#/digest`);
  await page.getByText('[ Cancel ]').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'The sign-in at Example was cancelled.' }).waitFor();
  t.equal(page.url(), `${core}/#/digest`, 'the place is kept');
  await pressButton(page);
  await logIn(page, 'stranger');
  await page.getByRole('alert').filter({ hasText: 'but have no role in Culprit' }).waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  const texts = new Set<string>();
  for (const problem of SIGN_IN_PROBLEMS) {
    await page.goto(`${core}/?sign_in_problem=${problem}`);
    const alert = page.locator('.sign-in-provider [role=alert]');
    await alert.waitFor();
    texts.add((await alert.textContent()) ?? '');
    t.ok((await overflow(page)) <= 0, problem);
  }
  t.equal(texts.size, SIGN_IN_PROBLEMS.length, 'each has its own words');
  t.same(problems, []);
});
