import type { DeliveryBatch } from '@culprit/core/internal/domain/delivery';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { packageVersion } from '../src/cli/version.js';
import { coreBench, GATEWAY, OLD_GATEWAY, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';
import { openSocket } from './support/websocket-client.js';

const RUN = /^run_[0-9a-z]{26}$/;
const DIGEST = /^[0-9a-f]{64}$/;

t.test('runs: list, pages, filters, invalid values', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  t.same((await api({ path: '/api/v1/runs' })).json, { runs: [], next: null });
  const ids = [await stage(), await stage(), await stage()];
  const first = await api({ path: '/api/v1/runs?limit=2' });
  t.equal(first.status, 200);
  t.equal(first.json.runs.length, 2);
  t.match(first.json.runs[0].run_id, RUN);
  t.type(first.json.next, 'string');
  const second = await api({ path: `/api/v1/runs?limit=2&cursor=${encodeURIComponent(first.json.next)}` });
  t.equal(second.json.next, null);
  const listed = [...first.json.runs, ...second.json.runs].map(({ run_id }: { run_id: string }) => run_id);
  t.same(listed.sort(), [...ids].sort());
  t.equal((await api({ path: '/api/v1/runs?state=staged_draft,published' })).json.runs.length, 0);
  t.equal(
    (await api({ path: '/api/v1/runs?state=staged_raw,staged_draft&project=default' })).json.runs.length,
    3,
  );
  t.equal((await api({ path: `/api/v1/runs?q=${ids[0]}` })).json.runs.length, 1);
  for (const [query, path] of [
    ['state=open', 'state'],
    ['state=staged_raw,', 'state'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1e1', 'limit'],
    [`project=${'x'.repeat(65)}`, 'project'],
    ['order=random', 'order'],
    ['q=levle:fatal', 'q'],
    ['q=%22open', 'q'],
    ['statee=published', 'statee'],
  ]) {
    const { status, json } = await api({ path: `/api/v1/runs?${query}` });
    t.match({ status, json }, { status: 400, json: { code: 'malformed', path } }, String(query));
  }
  const wrong = (await api({ path: '/api/v1/runs?q=levle:fatal' })).json;
  t.match(wrong.detail, /"levle:" is not a qualifier\. Did you mean "level:"\?/);
  const values = (await api({ path: '/api/v1/search-values?field=state' })).json;
  t.same(values, { values: [{ value: 'staged_raw', runs: 3 }] });
  t.match((await api({ path: '/api/v1/runs?cursor=nonsense' })).json, {
    code: 'invalid_cursor',
    status: 400,
  });
});

t.test('one run through both gates to one readable issue', async (t) => {
  const { api, stage, close, core, repository } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const at = `/api/v1/runs/${id}`;
  t.match((await api({ path: `${at}/draft` })).json, { code: 'not_found' }, 'no draft before Gate 1');
  t.match(
    (await api({ method: 'POST', path: `${at}/gate2/approve` })).json,
    { code: 'state_conflict', state: 'staged_raw', status: 409 },
    'Gate 2 is shut',
  );
  const analysed = await api({ method: 'POST', path: `${at}/gate1/approve` });
  t.same([analysed.status, analysed.json], [200, { status: 'analyzed', state: 'staged_draft' }]);
  const again = await api({ method: 'POST', path: `${at}/gate1/approve`, body: {} });
  t.same(again.json, analysed.json, 'same response as the first time');

  const run = (await api({ path: at })).json;
  t.equal(run.suspects[0].sha, repository.culprit);
  t.ok(run.suspects[0].hunk.lines.length > 0);

  const draft = await api({ path: `${at}/draft` });
  t.match(draft.json.digest, DIGEST);
  t.equal(draft.headers.etag, `"${draft.json.digest}"`);
  const unchanged = await api({
    path: `${at}/draft`,
    headers: { 'if-none-match': String(draft.headers.etag) },
  });
  t.equal(unchanged.status, 304);

  const put = (body: object, headers: Record<string, string> = {}) =>
    api({ method: 'PUT', path: `${at}/draft`, headers, body });
  const tag = { 'if-match': String(draft.headers.etag) };
  t.match((await put(draft.json)).json, { status: 428, code: 'precondition_required' });
  t.match((await put(draft.json, { 'if-match': '*' })).json, { status: 428 });
  t.match((await put(draft.json, { 'if-match': `"${'0'.repeat(64)}"` })).json, {
    status: 412,
    code: 'draft_changed',
    digest: draft.json.digest,
  });
  t.match((await put({ ...draft.json, colour: 'red' }, tag)).json, { status: 400, path: 'colour' });
  t.match((await put({ ...draft.json, title: '' }, tag)).json, { status: 400, path: 'title' });
  t.match((await put({ ...draft.json, repository: 'else/where' }, tag)).json, {
    status: 400,
    path: 'repository',
  });
  const edited = await put({ ...draft.json, title: 'Totals crash without tax' }, tag);
  t.match(edited, { status: 200, json: { title: 'Totals crash without tax', edited_by: 'ada' } });
  t.not(edited.json.digest, draft.json.digest);

  const stale = await api({ method: 'POST', path: `${at}/gate2/approve`, headers: tag });
  t.match(stale.json, { status: 412, code: 'draft_changed' }, 'the draft has changed');
  const bound = { 'if-match': String(edited.headers.etag) };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => api({ method: 'POST', path: `${at}/gate2/approve`, headers: bound })),
  );
  const url = answers[0]?.json.issue_url;
  for (const { status, json } of answers) {
    t.same([status, json], [200, { status: 'published', issue_url: url }], 'one issue for all requests');
  }
  t.match((await put(edited.json, bound)).json, { status: 409, code: 'state_conflict' });
  const { entries } = (await api({ path: `${at}/history` })).json;
  t.match(
    entries.filter(({ kind }: { kind: string }) => kind === 'decision'),
    [
      { name: 'gate1.approve', by: 'ada', via: 'api' },
      { name: 'draft.edit', by: 'ada', digest: edited.json.digest },
      { name: 'gate2.approve', by: 'ada', via: 'api', digest: edited.json.digest },
    ],
  );

  t.ok(url.startsWith(`${core.url}/outbox/`));
  const page = await api({ path: new URL(url).pathname });
  t.match(page, { status: 200, headers: { 'content-type': /text\/html/ }, text: /Totals crash without tax/ });
  t.notMatch(String(page.headers['content-security-policy']), /unsafe|script-src/);
  t.equal((await api({ path: '/outbox/issue.css' })).headers['content-type'], 'text/css; charset=utf-8');
  for (const path of ['/outbox/999', '/outbox/0', '/outbox/..%2Fsecrets.json']) {
    t.match((await api({ path })).json, { code: 'not_found' }, path);
  }
});

t.test('rejections', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  const post = (id: string, gate: string, body?: object | string) =>
    api({ method: 'POST', path: `/api/v1/runs/${id}/${gate}`, ...(body === undefined ? {} : { body }) });
  const one = await stage();
  t.match((await post(one, 'gate1/reject')).json, { status: 400 });
  t.match((await post(one, 'gate1/reject', {})).json, { status: 400, path: 'reason' });
  t.match((await post(one, 'gate1/reject', { reason: '  ' })).json, { status: 400, path: 'reason' });
  t.match((await post(one, 'gate1/reject', { reason: 'x', to: 'staged_raw' })).json, {
    status: 400,
    path: 'to',
  });
  t.match((await post(one, 'gate1/approve', '{"force":true}')).json, { status: 400, path: 'force' });
  t.match((await post(one, 'gate1/approve', '[')).json, { status: 400, detail: 'The body is not JSON.' });
  t.match((await post(one, 'gate1/approve', 'null')).json, { status: 400 });
  t.match((await post(one, 'gate1/approve', '[]')).json, { status: 400, detail: /not an array/ });
  const rejected = await post(one, 'gate1/reject', { reason: 'known' });
  t.same([rejected.status, rejected.json], [200, { status: 'rejected', state: 'rejected' }]);
  t.match((await post(one, 'gate1/approve')).json, { status: 409, state: 'rejected' });

  const two = await stage();
  await post(two, 'gate1/approve', ' \n');
  const nowhere = await post(two, 'gate2/reject', { reason: 'x' });
  t.match(nowhere.json.detail, /"to" is missing: one of "\w+", "\w+"\.$/);
  t.match((await post(two, 'gate2/reject', { reason: 'x', to: 'published' })).json, {
    status: 400,
    path: 'to',
  });
  t.same((await post(two, 'gate2/reject', { reason: 'wrong release', to: 'staged_raw' })).json, {
    status: 'returned',
    state: 'staged_raw',
  });
  t.match((await post(two, 'gate1/approve')).json, { status: 'analyzed' }, 'Gate 1 runs again');
  t.match((await post(two, 'gate2/reject', { reason: 'no', to: 'rejected' })).json, { state: 'rejected' });

  for (const id of ['run_00000000000000000000000000', 'x', '..%2f..', 'a'.repeat(70)]) {
    for (const gate of ['gate1/approve', 'gate2/approve']) {
      t.match(await post(id, gate), { status: 404, json: { code: 'run_not_found' } }, `${id} ${gate}`);
    }
    t.match((await api({ path: `/api/v1/runs/${id}` })).status, 404);
    t.match((await api({ path: `/api/v1/runs/${id}/history` })).json, { code: 'run_not_found' });
    t.match((await api({ path: `/api/v1/runs/${id}/draft` })).json, { code: 'run_not_found' });
  }
});

t.test('credentials: every route except health and the board’s assets requires a reviewer', async (t) => {
  const { bare, api, core, host, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const closed = [
    ['GET', '/api/v1/runs'],
    ['GET', `/api/v1/runs/${id}`],
    ['GET', `/api/v1/runs/${id}/history`],
    ['GET', `/api/v1/runs/${id}/draft`],
    ['PUT', `/api/v1/runs/${id}/draft`],
    ['POST', `/api/v1/runs/${id}/gate1/approve`],
    ['POST', `/api/v1/runs/${id}/gate1/reject`],
    ['POST', `/api/v1/runs/${id}/gate2/approve`],
    ['POST', `/api/v1/runs/${id}/gate2/reject`],
    ['GET', `/api/v1/runs/${id}/draft/preview`],
    ['GET', `/api/v1/runs/${id}/stack`],
    ['GET', '/api/v1/activity?runs=x'],
    ['GET', '/api/v1/session'],
    ['DELETE', '/api/v1/session'],
    ['GET', '/api/v1/live'],
    ['GET', '/openapi.json'],
    ['GET', '/metrics'],
    ['GET', '/outbox/1'],
    ['GET', '/outbox/issue.css'],
    ['GET', `/code/default/${'0'.repeat(40)}/src/cart.js`],
    ['GET', '/api/v1/edges'],
    ['POST', '/api/v1/edges/edge-1/commands'],
    ['POST', '/internal/v1/deliveries'],
  ] as const;
  for (const [method, path] of closed) {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${TOKEN}` }]) {
      const { status, json, headers: got } = await bare({ method, path, headers });
      t.match({ status, json }, { status: 401, json: { code: 'unauthenticated' } }, `${method} ${path}`);
      t.match(got, { 'www-authenticate': /^Bearer/, 'content-type': 'application/problem+json' });
    }
  }
  t.equal(
    (await bare({ path: `/api/v1/runs?token=${TOKEN}&access_token=${TOKEN}` })).status,
    401,
    'no token in a URL',
  );
  t.equal(
    (await api({ path: '/internal/v1/deliveries', method: 'POST', body: {} })).status,
    401,
    'not a reviewer token',
  );
  for (const [body, detail] of [
    [{}, 'The body is not valid: "token" is missing, or "link" is missing.'],
    [{ token: 1 }, 'The body is not valid: "token" must be string, not 1, or "link" is missing.'],
  ] as const)
    t.match(await bare({ path: '/api/v1/session', method: 'POST', body }), { status: 400, json: { detail } });
  t.match(await bare({ path: '/healthz' }), { status: 200, json: { status: 'ok' } });
  t.match(await bare({ path: '/readyz' }), { status: 200, json: { status: 'ready' } });
  t.equal((await bare({ path: '/' })).status, 200);
  const wrongHost = ['evil.example', `evil.example:${core.port}`, '127.0.0.1', '127.0.0.1:1'];
  for (const name of wrongHost) {
    for (const path of ['/api/v1/runs', '/', '/healthz', '/nothing']) {
      t.match(
        await api({ path, headers: { host: name } }),
        { status: 403, json: { code: 'host_refused' } },
        name,
      );
    }
  }
  for (const name of [host, `localhost:${core.port}`, `[::1]:${core.port}`, `LOCALHOST:${core.port}`]) {
    t.equal((await api({ path: '/api/v1/runs', headers: { host: name } })).status, 200, name);
  }
  const answers = [
    await bare({ path: '/' }),
    await api({ path: '/api/v1/runs', headers: { origin: 'https://evil.example' } }),
    await bare({ path: '/nothing' }),
    await bare({ method: 'POST', path: '/healthz' }),
  ];
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 404, 405],
  );
  for (const { headers } of answers) {
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
    });
    t.notOk(
      Object.keys(headers).some((name) => name.startsWith('access-control-')),
      'no CORS',
    );
  }
});

t.test('sessions: cookie, origin, expiry, sign-out, limits', async (t) => {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const { bare, core, stage, close, host } = await coreBench({ now: () => now });
  t.teardown(close);
  const id = await stage();
  const origin = core.url;
  const signIn = (token: string, headers: Record<string, string> = {}) =>
    bare({ method: 'POST', path: '/api/v1/session', headers, body: { token } });
  const good = await signIn(OTHER_TOKEN, { origin });
  t.match(good, { status: 200, json: { name: 'grace', expires_at: '2026-11-21T22:00:00.000Z' } });
  const set = String(good.headers['set-cookie']);
  t.match(set, /^culprit_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/);
  const cookie = set.split(';')[0] ?? '';
  t.match((await signIn(TOKEN, { origin: 'http://evil.example' })).json, { code: 'origin_refused' });

  t.equal((await bare({ path: '/api/v1/runs', headers: { cookie } })).status, 200, 'GET requires no origin');
  const approve = (headers: Record<string, string>) =>
    bare({ method: 'POST', path: `/api/v1/runs/${id}/gate1/approve`, headers: { cookie, ...headers } });
  const others = ['null', 'http://evil.example', 'http://127.0.0.1', `https://${host}`, `${origin}/`];
  for (const wrong of ['', ...others]) {
    const answer = await approve(wrong === '' ? {} : { origin: wrong });
    const detail = wrong === '' ? /Send "Origin: .*", or a Bearer token\.$/ : /Check PUBLIC_URL\.$/;
    t.match(answer, { status: 403, json: { code: 'origin_refused', detail } }, `origin ${wrong}`);
  }
  t.equal((await approve({ origin })).status, 200);
  const { entries } = (await bare({ path: `/api/v1/runs/${id}/history`, headers: { cookie } })).json;
  t.match(
    entries.find(({ name }: { name: string }) => name === 'gate1.approve'),
    { by: 'grace', via: 'board' },
  );

  const out = await bare({ method: 'DELETE', path: '/api/v1/session', headers: { cookie, origin } });
  t.match(out, { status: 204, headers: { 'set-cookie': /^culprit_session=; .*Max-Age=0/ } });
  t.equal((await bare({ path: '/api/v1/runs', headers: { cookie } })).status, 401, 'signed out');

  const second = String((await signIn(TOKEN)).headers['set-cookie']).split(';')[0] ?? '';
  t.equal((await bare({ path: '/api/v1/runs', headers: { cookie: second } })).status, 200);
  now += 12 * 60 * 60 * 1000 + 1;
  t.equal((await bare({ path: '/api/v1/runs', headers: { cookie: second } })).status, 401, 'expired');
  for (const forged of ['culprit_session=', `culprit_session=${'a'.repeat(43)}`, 'culprit_session=x; a=b']) {
    t.equal((await bare({ path: '/api/v1/runs', headers: { cookie: forged } })).status, 401);
  }

  for (const body of ['{}', '{"token":1}', '{"token":"a","more":1}', '[]', 'x']) {
    const headers = { 'content-type': 'application/json' };
    const answer = await bare({ method: 'POST', path: '/api/v1/session', headers, body });
    t.match(answer, { status: 400, json: { detail: /^(?!Send)/ } }, body);
  }
  for (let failure = 0; failure < 10; failure++) t.equal((await signIn('wrong')).status, 401);
  t.equal((await signIn(TOKEN)).status, 200, 'a token that was accepted before');
  const limited = await signIn('wrong');
  t.match(limited, { status: 429, headers: { 'retry-after': /^\d+$/ }, json: { code: 'rate_limited' } });
  now += 5 * 60 * 1000 + 1;
  t.equal((await signIn('wrong')).status, 401, 'after the window');
});

t.test('failed bearer tokens are limited and lock out no right one', async (t) => {
  const { bare, api, close } = await coreBench();
  t.teardown(close);
  t.equal((await api({ path: '/api/v1/runs' })).status, 200);
  const guess = (token: string) =>
    bare({ path: '/api/v1/runs', headers: { authorization: `Bearer ${token}` } });
  for (let failure = 0; failure < 100; failure++) await guess(`guess-${failure}`);
  t.equal((await guess('another')).status, 429);
  t.equal((await guess(OTHER_TOKEN)).status, 200, 'a right token of 36 characters was not guessed');
  t.equal((await api({ path: '/api/v1/runs' })).status, 200);
});

t.test('https: the cookie is Secure and the origin is PUBLIC_URL', async (t) => {
  const { bare, stage, close } = await coreBench({ publicUrl: 'https://culprit.example:8443' });
  t.teardown(close);
  const id = await stage();
  const headers = { host: 'culprit.example:8443', origin: 'https://culprit.example:8443' };
  const { headers: got } = await bare({
    method: 'POST',
    path: '/api/v1/session',
    headers,
    body: { token: TOKEN },
  });
  t.match(got['set-cookie'], /; Secure$/);
  const cookie = String(got['set-cookie']).split(';')[0] ?? '';
  const path = `/api/v1/runs/${id}/gate1/approve`;
  const elsewhere = { ...headers, cookie, origin: 'https://culprit.example' };
  t.equal((await bare({ method: 'POST', path, headers: elsewhere })).status, 403, 'the port counts');
  t.equal((await bare({ method: 'POST', path, headers: { ...headers, cookie } })).status, 200);
});

t.test('the transport from the edge', async (t) => {
  const { core, host, engine, close, api } = await coreBench();
  t.teardown(close);
  const send = (body: object | string, secret = GATEWAY) =>
    httpClient(core.port)({
      method: 'POST',
      path: '/internal/v1/deliveries',
      headers: { host, authorization: `Bearer ${secret}` },
      body,
    });
  const deliveries = [1, 2, 3].map((sequence) => makeDelivery({ sequence, event_id: `event-${sequence}` }));
  const batch: DeliveryBatch = { edge: 'edge-1', deliveries };
  const first = await send(batch);
  t.match(first, { status: 200, json: { watermark: 3 } });
  t.same(
    first.json.outcomes.map(({ outcome }: { outcome: string }) => outcome),
    ['accepted', 'accepted', 'accepted'],
  );
  t.same((await send(batch, OLD_GATEWAY)).json, first.json, 'same response with either secret');
  t.equal((await engine.runs({ limit: 10 })).runs[0]?.occurrences, 3);
  t.match((await send({ edge: 'edge-1', deliveries: [], guard: { rate: 1 } })).json, { outcomes: [] });
  t.equal((await send(batch, 'wrong')).status, 401);
  t.match((await send({ edge: 'edge-1', deliveries: [{ ...deliveries[0], sequence: 0 }] })).json, {
    status: 400,
    path: 'deliveries[0].sequence',
  });
  t.match((await send({ edge: '../x', deliveries: [] })).json, { status: 400, path: 'edge' });
  t.match((await send('{"edge":')).json, { status: 400 });
  t.match((await api({ path: '/metrics' })).text, /culprit_deliveries_total\{outcome="accepted"\} 6/);
});

t.test('edges: reports, and commands until they are done', async (t) => {
  const { core, host, close, api } = await coreBench();
  t.teardown(close);
  const sendBatch = async (body: object) =>
    (
      await httpClient(core.port)({
        method: 'POST',
        path: '/internal/v1/deliveries',
        headers: { host, authorization: `Bearer ${GATEWAY}` },
        body: { edge: 'edge-1', deliveries: [], ...body },
      })
    ).json;
  const command = (body: object, edge = 'edge-1') =>
    api({ method: 'POST', path: `/api/v1/edges/${edge}/commands`, body });
  t.same((await api({ path: '/api/v1/edges' })).json, { edges: [], next: null });
  t.match(await command({ kind: 'resend', sequences: 'all' }), { status: 404, json: { code: 'not_found' } });
  const letter = { sequence: 7, at: '2026-11-21T10:00:00.000Z', event_id: 'e', project: 'shop', door: 'sdk' };
  const report = {
    guard: { dead_letters: 1 },
    limits: { keyRate: { value: 5, configured: 9 } },
    dead_letters: [{ ...letter, detail: 'no frames' }],
  };
  t.same((await sendBatch(report)).commands, []);
  t.match((await api({ path: '/api/v1/edges' })).json, {
    edges: [{ edge: 'edge-1', figures: { dead_letters: 1 }, limits: report.limits, commands: [] }],
  });
  for (const bad of [{ kind: 'resend' }, { kind: 'drop', sequences: [] }, { kind: 'stop' }]) {
    t.match(await command(bad), { status: 400 });
  }
  t.match(await command({ kind: 'limits', values: { keyRat: 5 } }), { status: 400 });
  t.match(await command({ kind: 'limits', values: { sdkBodyBytes: 1e12 } }), { status: 400 });
  const { status, json } = await command({ kind: 'resend', sequences: [7] });
  t.match({ status, json }, { status: 202, json: { status: 'queued', by: 'ada', detail: null } });
  const asked = [{ id: json.id, action: { kind: 'resend', sequences: [7] } }];
  t.same((await sendBatch({})).commands, [], 'a batch without a report gets no commands');
  t.same((await sendBatch(report)).commands, asked, 'until the edge reports the result');
  const done = [{ id: json.id, ok: true, detail: '1 of 1 sent again' }];
  t.same((await sendBatch({ ...report, dead_letters: [], done })).commands, []);
  t.match((await api({ path: '/api/v1/edges' })).json.edges[0], {
    dead_letters: [],
    commands: [{ id: json.id, status: 'done', detail: '1 of 1 sent again' }],
  });
});

t.test('OpenAPI, source pages and assets', async (t) => {
  const { api, bare, repository, close } = await coreBench();
  t.teardown(close);
  const openapi = (await api({ path: '/openapi.json' })).json;
  t.equal(openapi.info.version, packageVersion());
  t.equal(openapi.openapi, '3.1.0');
  for (const [path, method] of [
    ['/api/v1/session', 'delete'],
    ['/api/v1/runs/{run_id}/gate1/approve', 'post'],
    ['/api/v1/runs/{run_id}/gate2/approve', 'post'],
    ['/api/v1/runs/{run_id}/draft', 'put'],
    ['/internal/v1/deliveries', 'post'],
    ['/webhook/errortracker', 'post'],
    ['/api/v1/telemetry/ingest', 'post'],
    ['/api/{project}/envelope/', 'post'],
  ] as const) {
    t.ok(openapi.paths[path]?.[method], `${method} ${path}`);
  }
  const refs = [...JSON.stringify(openapi).matchAll(/"\$ref":"#\/components\/schemas\/([^"/]+)"/g)];
  for (const [, name = ''] of refs) t.ok(openapi.components.schemas[name], `schema ${name} is there`);
  t.notMatch(JSON.stringify(openapi), /\$defs|#\/definitions/);
  t.ok(openapi.components.schemas.Run.properties.suspects);
  t.same(openapi.paths['/api/v1/runs/{run_id}'].get.responses['200'].content['application/json'].schema, {
    $ref: '#/components/schemas/Run',
  });

  const code = await api({ path: `/code/default/${repository.head}/src/cart.js` });
  t.match(code, { status: 200, text: /<li id="L4"><a href="#L4"/ });
  t.match(code.text, /&lt;b&gt;not markup&lt;\/b&gt; &amp; &quot;quotes&quot;/);
  t.notMatch(code.text, /<b>|<script/);
  const config = await api({ path: `/code/default/${repository.head}/src/config.js` });
  t.match(config, { status: 200, text: /<li id="L4">.*connect/ }, 'line numbers do not change');
  t.notMatch(config.text, /hunter2|BEGIN|AAAA/, 'secrets in code are redacted');
  for (const path of [
    `/code/default/${repository.head}/src/missing.js`,
    `/code/default/${repository.head}/../../../etc/passwd`,
    `/code/default/${repository.head}/src%2f..%2f..%2fx`,
    `/code/default/${'1'.repeat(40)}/src/cart.js`,
    '/code/default/HEAD/src/cart.js',
    `/code/default/${repository.head}/src`,
    `/code/default/${repository.head}/.env`,
  ]) {
    t.equal((await api({ path })).status, 404, path);
  }

  const page = await bare({ path: '/' });
  t.match(page.headers['content-security-policy'], /script-src 'self'; connect-src 'self' ws:\/\/127/);
  t.notMatch(page.headers['content-security-policy'], /unsafe/);
  const again = await bare({ path: '/', headers: { 'if-none-match': String(page.headers.etag) } });
  t.equal(again.status, 304);
  const script = /src="(\/assets\/[0-9a-f]{16}\/main\.js)"/.exec(page.text)?.[1] ?? '/none';
  t.match(await bare({ path: script }), { status: 200, headers: { 'cache-control': /immutable/ } });
  t.equal((await bare({ path: script.replace('main.js', '..%2findex.html') })).status, 404);
  t.equal((await bare({ path: '/assets/0000000000000000/main.js' })).status, 404);
  t.match((await api({ path: '/api/v1/live' })).json, { status: 400 });
});

t.test('live feed: snapshot, numbered deltas, resume, reset, credentials, guard figures', async (t) => {
  const { core, bare, engine, host, stage, close } = await coreBench();
  t.teardown(close);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const id = await stage();
  const one = await openSocket(core.port, '/api/v1/live', bearer);
  const snapshot = await one.next();
  t.match(snapshot, { type: 'snapshot', reset: false, more: false, guard: [], runs: [{ run_id: id }] });
  const start = Number(snapshot.sequence);
  const second = await stage();
  t.match(await one.next(), {
    type: 'run',
    sequence: start + 1,
    run: { run_id: second, state: 'staged_raw' },
  });
  await engine.rejectGateOne(second, { name: 'ada', via: 'api' }, { reason: 'no' });
  t.match(await one.next(), { type: 'run', sequence: start + 2, run: { state: 'rejected' } });

  const resumed = await openSocket(core.port, `/api/v1/live?since=${snapshot.epoch}.${start}`, bearer);
  t.match(await resumed.next(), { type: 'run', sequence: start + 1 });
  t.match(await resumed.next(), { type: 'run', sequence: start + 2 });
  t.match(await resumed.next(), { type: 'guard', guard: [] });
  for (const since of [
    `other.${start}`,
    `${snapshot.epoch}.${start + 99}`,
    'nonsense',
    `${snapshot.epoch}.-1`,
  ]) {
    const reset = await openSocket(core.port, `/api/v1/live?since=${since}`, bearer);
    t.match(await reset.next(), { type: 'snapshot', reset: true, sequence: start + 2 }, since);
    reset.end();
  }

  await httpClient(core.port)({
    method: 'POST',
    path: '/internal/v1/deliveries',
    headers: { host, authorization: `Bearer ${GATEWAY}` },
    body: { edge: 'edge-1', deliveries: [], guard: { spool: { depth: 3 } } },
  });
  t.match(await one.next(), { type: 'guard', guard: [{ edge: 'edge-1', figures: { spool: { depth: 3 } } }] });

  const refused = (headers: Record<string, string>) =>
    openSocket(core.port, '/api/v1/live', headers).then(
      () => 101,
      ({ status }: { status: number }) => status,
    );
  const signedIn = await bare({ method: 'POST', path: '/api/v1/session', body: { token: TOKEN } });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  t.equal(await refused({}), 401);
  t.equal(await refused({ authorization: 'Bearer wrong' }), 401);
  t.equal(await refused({ cookie }), 403, 'without an origin a bearer token is required');
  t.equal(await refused({ cookie, origin: 'http://evil.example' }), 403);
  t.equal(await refused({ ...bearer, host: 'evil.example' }), 403);
  const board = await openSocket(core.port, '/api/v1/live', { cookie, origin: core.url });
  t.match(await board.next(), { type: 'snapshot' });
  await bare({ method: 'DELETE', path: '/api/v1/session', headers: { cookie, origin: core.url } });
  t.match(await board.closed, { code: 4401 }, 'closes with its session');
  one.end();
  resumed.end();
});

t.test('limits for live readers', async (t) => {
  const { core, close } = await coreBench({ liveReaders: 256 });
  t.teardown(close);
  const open = () => openSocket(core.port, '/api/v1/live', { authorization: `Bearer ${TOKEN}` });
  const readers = await Promise.all(Array.from({ length: 256 }, open));
  await Promise.all(readers.map((reader) => reader.next()));
  t.match(
    await open().catch((refusal: unknown) => refusal),
    { status: 503 },
    'the number of live feeds is limited',
  );
  for (const reader of readers) reader.end();
});

t.test('only slow readers are closed, with code 4008', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const id = await stage(`slow ${'x'.repeat(200)}`);
  await engine.approveGateOne(id, { name: 'ada', via: 'api' });
  const slow = await openSocket(core.port, '/api/v1/live', bearer);
  await slow.next();
  slow.pause();
  const quick = await openSocket(core.port, '/api/v1/live', bearer);
  await quick.next();
  let last = 0;
  const guard = { padding: 'x'.repeat(400_000) };
  for (let batch = 0; batch < 60; batch++) {
    await httpClient(core.port)({
      method: 'POST',
      path: '/internal/v1/deliveries',
      headers: { host: `127.0.0.1:${core.port}`, authorization: `Bearer ${GATEWAY}` },
      body: { edge: 'edge-1', deliveries: [], guard },
    });
    t.equal((await quick.next()).type, 'guard');
    last++;
  }
  t.equal(last, 60);
  slow.resume();
  const { code } = await slow.closed;
  t.equal(code, 4008);
  quick.end();
});
