import { spawnSync } from 'node:child_process';
import { manualClock } from '@culprit/core/testing';
import t from 'tap';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { looksLikeToken, newToken } from '../src/core/tokens/token-text.js';
import { type CoreBench, coreBench } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';
import { openSocket } from './support/websocket-client.js';

const DAY_MS = 24 * 60 * 60_000;
const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

/** Makes a token over the API; resolves with its secret and id. */
async function make(
  bench: CoreBench,
  body: object,
): Promise<{ readonly token: string; readonly id: string }> {
  const made = await bench.api({ method: 'POST', path: '/api/v1/tokens', body });
  if (made.status !== 201) throw new Error(made.text);
  return made.json;
}

function client({ core, host }: CoreBench, token: string) {
  return httpClient(core.port, { host, authorization: `Bearer ${token}` });
}

t.test('the form of a token: recognisable, with a checksum', async (t) => {
  const token = newToken();
  t.match(token, /^culprit_pat_[0-9A-Za-z]{49}$/);
  t.ok(looksLikeToken(token));
  t.notOk(looksLikeToken(`${token}0`));
  t.notOk(looksLikeToken(token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), 'a typing error');
  t.not(newToken(), token);
});

t.test('the life of a token: made, shown once, used, listed, expired, revoked', async (t) => {
  const clock = manualClock();
  const bench = await coreBench({ clock });
  t.teardown(bench.close);
  const run = await bench.stage();
  const made = await bench.api({
    method: 'POST',
    path: '/api/v1/tokens',
    body: { name: 'triage bot', scopes: ['read', 'comment', 'gate1'] },
  });
  t.match(made.json, {
    name: 'triage bot',
    made_by: 'ada',
    projects: null,
    last_used_at: null,
    expires_at: new Date(clock.now() + 90 * DAY_MS).toISOString(),
  });
  t.equal(made.headers['cache-control'], 'no-store');
  const { id, token } = made.json;
  const stored = await bench.engine.values.get('tokens:all');
  t.notOk(stored?.includes(token), 'only a hash is stored');
  const bot = client(bench, token);
  t.match((await bot({ path: '/api/v1/session' })).json, {
    name: 'ada',
    token: 'triage bot',
    scopes: ['read', 'comment', 'gate1'],
  });
  t.equal((await bot({ method: 'POST', path: `/api/v1/runs/${run}/gate1/approve` })).status, 200);
  const refused = await bot({ method: 'POST', path: `/api/v1/runs/${run}/gate2/approve` });
  t.match(refused.json, { status: 403, code: 'forbidden', scope: 'gate2' });
  const { entries } = (await bot({ path: `/api/v1/runs/${run}/history` })).json;
  const approval = entries.find(({ name }: { name: string }) => name === 'gate1.approve');
  t.match(approval, { by: 'ada', via: 'api', detail: { token: 'triage bot' } });
  t.match((await bench.api({ path: '/api/v1/tokens' })).json.tokens, [
    { id, name: 'triage bot', last_used_at: new Date(clock.now()).toISOString() },
  ]);
  t.notOk((await bench.api({ path: '/api/v1/tokens' })).text.includes(token), 'never shown again');

  const feed = await openSocket(bench.core.port, '/api/v1/live', {
    host: bench.host,
    authorization: `Bearer ${token}`,
  });
  t.match(await feed.next(), { type: 'snapshot' });
  t.equal((await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` })).status, 204);
  t.match(await feed.closed, { code: 4401 }, 'its live feed ends');
  t.match((await bot({ path: '/api/v1/runs' })).json, {
    status: 401,
    code: 'unauthenticated',
    detail: /revoked/,
  });
  t.equal((await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` })).status, 404);

  const short = await make(bench, { name: 'short', scopes: ['read'], expires_in_days: 1 });
  const forever = await make(bench, { name: 'forever', scopes: ['read'], expires_in_days: null });
  await clock.advance(DAY_MS);
  const late = await client(bench, short.token)({ path: '/api/v1/runs' });
  t.match(late.json, { status: 401, detail: /This token expired at 2026-01-06T09:00:00.000Z/ });
  t.equal((await client(bench, forever.token)({ path: '/api/v1/runs' })).status, 200);
  const signIn = { method: 'POST', path: '/api/v1/session', body: { token: forever.token } };
  t.match((await bench.bare(signIn)).json, { status: 401, detail: /for programs/ }, 'not for the board');
  t.match((await client(bench, newToken())({ path: '/api/v1/runs' })).json, {
    status: 401,
    detail: /unknown/,
  });
});

t.test('what is refused when a token is made', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  await make(bench, { name: 'taken', scopes: ['read'] });
  const wrong: [object, string][] = [
    [{ name: 'taken', scopes: ['read'] }, 'name'],
    [{ name: ' ', scopes: ['read'] }, 'name'],
    [{ name: 'a', scopes: [] }, 'scopes'],
    [{ name: 'a', scopes: ['gate2'] }, 'scopes'],
    [{ name: 'a', scopes: ['read', 'admin'] }, 'scopes[1]'],
    [{ name: 'a', scopes: ['read'], projects: [] }, 'projects'],
    [{ name: 'a', scopes: ['read'], projects: ['a b'] }, 'projects[0]'],
    [{ name: 'a', scopes: ['read'], expires_in_days: 366 }, 'expires_in_days'],
    [{ name: 'a', scopes: ['read'], expires_in_days: 0 }, 'expires_in_days'],
  ];
  for (const [body, path] of wrong) {
    const { json } = await bench.api({ method: 'POST', path: '/api/v1/tokens', body });
    t.match(json, { status: 400, code: 'malformed', path }, JSON.stringify(body));
  }
  const { token } = await make(bench, { name: 'operator', scopes: ['read', 'operate'] });
  const operator = client(bench, token);
  const more = { name: 'more', scopes: ['read', 'gate2'] };
  t.match(
    (await operator({ method: 'POST', path: '/api/v1/tokens', body: more })).json,
    { status: 403, scope: 'gate2' },
    'no token gives more than it has',
  );
  const same = { name: 'same', scopes: ['read', 'operate'] };
  t.match((await operator({ method: 'POST', path: '/api/v1/tokens', body: same })).json, { made_by: 'ada' });
  const ci = await make(bench, { name: 'ci', scopes: ['release'] });
  t.equal(
    (await client(bench, ci.token)({ path: '/api/v1/runs' })).status,
    403,
    'release alone reads nothing',
  );
});

t.test(
  'tokens work on every core of a storage, and are revoked on every core',
  { skip: skipRedis },
  async (t) => {
    const redis = await startRedis('--appendonly', 'no');
    t.teardown(() => redis.close());
    const one = await coreBench({}, redis.url());
    const other = await coreBench({}, redis.url());
    t.teardown(async () => {
      await one.close();
      await other.close();
    });
    const { id, token } = await make(one, { name: 'everywhere', scopes: ['read'] });
    const elsewhere = client(other, token);
    t.equal((await elsewhere({ path: '/api/v1/runs' })).status, 200, 'at once');
    const headers = { host: other.host, authorization: `Bearer ${token}` };
    const feed = await openSocket(other.core.port, '/api/v1/live', headers);
    await one.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` });
    t.match(await feed.closed, { code: 4401 }, 'the feed of the other core ends');
    t.equal((await elsewhere({ path: '/api/v1/runs' })).status, 401);
  },
);
