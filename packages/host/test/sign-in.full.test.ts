import t from 'tap';
import { coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { openSocket } from './support/websocket-client.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

t.test('sessions are listed and ended: one’s own, and everybody’s by an operator', async (t) => {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const { bare, api, core, close } = await coreBench({ now: () => now });
  t.teardown(close);
  const signIn = async (token: string) => {
    const headers = { 'user-agent': FIREFOX };
    const answer = await bare({ method: 'POST', path: '/api/v1/session', headers, body: { token } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const ada = await signIn(TOKEN);
  now += 60_000;
  const grace = await signIn(OTHER_TOKEN);
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

  for (let count = 0; count < 25; count++) await signIn(TOKEN);
  t.equal((await api({ path: '/api/v1/sessions' })).json.sessions.length, 20, 'the oldest of one person end');
  t.equal((await listed(grace)).length, 1, 'others keep theirs');
});
