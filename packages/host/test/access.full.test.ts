import { spawnSync } from 'node:child_process';
import { ALL_SCOPES, FULL_ACCESS, ROLES, type Scope } from '@culprit/core/internal/domain/access';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { manualClock } from '@culprit/core/testing';
import t from 'tap';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { looksLikeToken, newToken } from '../src/server/tokens/token-text.js';
import { createTokens } from '../src/server/tokens/tokens.js';
import {
  ABSENT,
  askOf,
  bodyBeyond,
  callMcp,
  callTool,
  clientOf,
  describedRoutes,
  documentedRows,
  makeToken,
  nameOfRow,
  SECRET,
} from './support/access-kit.js';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import type { Answer } from './support/http-client.js';
import { culprit } from './support/run-culprit.js';
import { openSocket } from './support/websocket-client.js';

/** Who makes tokens without the API: the reviewer `ada`. */
const ADA = {
  reviewer: { name: 'ada', via: 'api' },
  access: FULL_ACCESS,
  ...{ token: null, vouched: null },
} as const;
const DAY_MS = 24 * 60 * 60_000;
const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

t.test('the form of a token: recognisable, with a checksum', async (t) => {
  const token = newToken();
  t.match(token, /^culprit_pat_[0-9A-Za-z]{49}$/);
  t.ok(looksLikeToken(token));
  t.notOk(looksLikeToken(`${token}0`));
  t.notOk(looksLikeToken(token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), 'a typing error');
  t.not(newToken(), token);
  t.notOk(
    standardSanitiser.text(`Authorization failed: ${token}`).value.includes(token),
    'a crash never shows one',
  );
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
  const bot = clientOf(bench, token);
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
  t.match((await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` })).json, {
    revoked: [{ id, name: 'triage bot' }],
  });
  t.match(await feed.closed, { code: 4401 }, 'its live feed ends');
  t.match((await bot({ path: '/api/v1/runs' })).json, {
    status: 401,
    code: 'unauthenticated',
    detail: /revoked/,
  });
  t.equal((await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` })).status, 404);

  const short = await makeToken(bench, { name: 'short', scopes: ['read'], expires_in_days: 1 });
  const forever = await makeToken(bench, { name: 'forever', scopes: ['read'], expires_in_days: null });
  await clock.advance(DAY_MS);
  const late = await clientOf(bench, short.token)({ path: '/api/v1/runs' });
  t.match(late.json, { status: 401, detail: /This token expired at 2026-01-06T09:00:00.000Z/ });
  t.equal((await clientOf(bench, forever.token)({ path: '/api/v1/runs' })).status, 200);
  const signIn = { method: 'POST', path: '/api/v1/session', body: { token: forever.token } };
  t.match((await bench.bare(signIn)).json, { status: 401, detail: /for programs/ }, 'not for the board');
  t.match((await clientOf(bench, newToken())({ path: '/api/v1/runs' })).json, {
    status: 401,
    detail: /unknown/,
  });
});

t.test('culprit token makes, lists and revokes; the secret is alone on standard output', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const run = (env: object, ...args: string[]) => culprit([...args, '--url', bench.core.url], { env });
  const token = (...args: string[]) => run({ CULPRIT_TOKEN: TOKEN }, 'token', ...args);
  const made = await token(
    'new',
    'ci job',
    '--scopes',
    'read,release',
    '--days',
    '7',
    '--projects',
    'default',
  );
  t.match(made, { code: 0, stderr: /^Store it now: it is not shown again\. It expires at 2/ });
  t.ok(looksLikeToken(made.stdout.slice(0, -1)), made.stdout);
  t.match(await run({ CULPRIT_TOKEN: made.stdout }, 'runs'), { code: 0 }, 'as a shell hands it on');
  t.match((await token('list')).stdout, /^ci job +tok_\w+ +read,release +default +2\S+ +2[^ ]+ \S+ +ada$/m);
  t.match(await token('new', 'ci job', '--scopes', 'read'), {
    code: 2,
    stderr: /already a token named "ci job"/,
  });
  t.match(await token('new', 'typo', '--scopes', 'read', '--projects', 'defualt'), {
    code: 2,
    stderr: /There is no project "defualt"\. Did you mean default\?/,
  });
  t.match(await token('revoke', 'ci job'), { code: 0, stdout: /^Revoked: ci job \(tok_/ });
  t.match(await token('revoke', 'ci job'), { code: 3 });
  t.equal((await token('list')).stdout, 'No API tokens.\n');
});

t.test('a use that is stored after the token was revoked leaves nothing', async (t) => {
  const { engine, close } = await coreBench();
  t.teardown(close);
  const { values } = engine;
  const tokens = createTokens(Date.now);
  const request = { name: 'bot', scopes: ['read'], projects: null, days: null } as const;
  const made = await tokens.make(values, request, ADA);
  const ended = new Promise<void>((resolve) => {
    const late: typeof values = {
      ...values,
      get: (key) => values.get(key),
      change: (key, decide, ttl) => values.change(key, decide, ttl),
      async set(key, value, ttl) {
        await tokens.revoke(values, made.id);
        await values.set(key, value, ttl);
      },
      delete: (key) => values.delete(key).then(resolve),
    };
    tokens.recognise(late, made.token, true).catch(t.error);
  });
  await ended;
  t.equal(await values.get(`token-used:${made.id}`), undefined);
});

t.test('what is refused when a token is made', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  await makeToken(bench, { name: 'taken', scopes: ['read'] });
  const wrong: [object, string][] = [
    [{ name: 'taken', scopes: ['read'] }, 'name'],
    [{ name: ' ', scopes: ['read'] }, 'name'],
    [{ name: 'a', scopes: [] }, 'scopes'],
    [{ name: 'a', scopes: ['gate2'] }, 'scopes'],
    [{ name: 'a', scopes: ['read', 'admin'] }, 'scopes[1]'],
    [{ name: 'a', scopes: ['read'], projects: [] }, 'projects'],
    [{ name: 'a', scopes: ['read'], projects: ['a b'] }, 'projects[0]'],
    [{ name: 'a', scopes: ['read'], projects: ['default', 'defualt'] }, 'projects[1]'],
    [{ name: 'a', scopes: ['read'], expires_in_days: 366 }, 'expires_in_days'],
    [{ name: 'a', scopes: ['read'], expires_in_days: 0 }, 'expires_in_days'],
  ];
  for (const [body, path] of wrong) {
    const { json } = await bench.api({ method: 'POST', path: '/api/v1/tokens', body });
    t.match(json, { status: 400, code: 'malformed', path }, JSON.stringify(body));
  }
  const made = await makeToken(bench, { name: 'operator', scopes: ['read', 'operate'] });
  const operator = clientOf(bench, made.token);
  const more = { name: 'more', scopes: ['read', 'gate2'] };
  t.match(
    (await operator({ method: 'POST', path: '/api/v1/tokens', body: more })).json,
    { status: 403, scope: 'gate2' },
    'no token gives more than it has',
  );
  const same = { name: 'same', scopes: ['read', 'operate'] };
  t.match((await operator({ method: 'POST', path: '/api/v1/tokens', body: same })).json, { made_by: 'ada' });
  const lasting = { name: 'lasting', scopes: ['read'], expires_in_days: null };
  t.match(
    (await operator({ method: 'POST', path: '/api/v1/tokens', body: lasting })).json,
    { expires_at: /^\d{4}-/ },
    'no token outlives the one that made it',
  );
  const ci = await makeToken(bench, { name: 'ci', scopes: ['release'] });
  t.equal(
    (await clientOf(bench, ci.token)({ path: '/api/v1/runs' })).status,
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
    const { id, token } = await makeToken(one, { name: 'everywhere', scopes: ['read'] });
    const elsewhere = clientOf(other, token);
    t.equal((await elsewhere({ path: '/api/v1/runs' })).status, 200, 'at once');
    const headers = { host: other.host, authorization: `Bearer ${token}` };
    const feed = await openSocket(other.core.port, '/api/v1/live', headers);
    await one.api({ method: 'DELETE', path: `/api/v1/tokens/${id}` });
    t.match(await feed.closed, { code: 4401 }, 'the feed of the other core ends');
    t.equal((await elsewhere({ path: '/api/v1/runs' })).status, 401);
  },
);

const skipBoard = CHROMIUM === undefined ? 'needs chromium' : false;

t.test('the board: a token is made, shown once, listed and revoked', { skip: skipBoard }, async (t) => {
  const bench = await boardBench(t, { moreProjects: ['other'] });
  const { page, problems } = await visit(t, `${bench.core.url}/#/settings/tokens`);
  await signIn(page);
  await page.getByRole('heading', { name: 'New token' }).waitFor();
  await page.getByLabel('Name: what uses it').fill('wall <b>screen</b>');
  await page.getByRole('checkbox', { name: /^comment/ }).focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Projects').fill('default, other');
  await page.getByLabel('Expires').selectOption('never');
  await page.getByRole('button', { name: 'Make the token' }).focus();
  await page.keyboard.press('Enter');
  const secret = page.getByRole('status', { name: 'The new token' });
  const token = (await secret.locator('code').textContent()) ?? '';
  t.ok(looksLikeToken(token));
  t.match((await clientOf(bench, token)({ path: '/api/v1/session' })).json, {
    token: 'wall <b>screen</b>',
    scopes: ['read', 'comment'],
    projects: ['default', 'other'],
    expires_at: null,
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.same(await axe(page), [], colorScheme);
  }
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    t.ok((await overflow(page)) <= 0, `${width} px`);
  }
  await secret.getByRole('button', { name: 'I have stored it' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'wall <b>screen</b>' });
  t.match(await row.textContent(), /2 projects: default, other · .* · does not expire · made by ada/);
  await row.getByRole('button').click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('No tokens.').waitFor();
  t.equal((await clientOf(bench, token)({ path: '/api/v1/session' })).status, 401);
  t.same(problems, []);
});

t.test('every route × every role and scope × inside and outside of its projects', async (t) => {
  const bench = await coreBench({ moreProjects: ['shop', 'bank'] });
  t.teardown(bench.close);
  const inside = await bench.stage('boom in the shop', 'shop');
  const outside = await bench.stage(`boom of the ${SECRET}`, 'bank');
  const rows = documentedRows();
  const routes = describedRoutes((await bench.api({ path: '/openapi.json' })).json);
  t.same(rows.map(nameOfRow).sort(), routes.sort(), 'every route has a row, and every row a route');

  const tokens = createTokens(Date.now);
  const clientWith = async (name: string, scopes: readonly Scope[], projects: readonly string[] | null) => {
    const request = { name, scopes, projects, days: 1 };
    return clientOf(bench, (await tokens.make(bench.engine.values, request, ADA)).token);
  };
  const wrong: string[] = [];
  const expect = (what: string, answer: Answer, status: number | null, more: object = {}) => {
    const { code, scope } = answer.json ?? {};
    const seen = { code, scope };
    const refused = answer.status === 401 || answer.status === 403;
    const ok = status === null ? !refused : answer.status === status;
    const members = Object.entries(more).every(([name, value]) => Reflect.get(seen, name) === value);
    if (!ok || !members) wrong.push(`${what}: ${answer.status} ${JSON.stringify(seen)}`);
    return answer;
  };
  const sets: (readonly [string, readonly Scope[], string | null])[] = [
    ...Object.entries(ROLES).map(([role, scopes]) => [role, scopes, role] as const),
    ...ALL_SCOPES.map((scope) => [`only ${scope}`, [scope], null] as const),
    ['none', [], null],
  ];
  for (const [name, scopes, role] of sets) {
    const all = await clientWith(name, scopes, null);
    const some = await clientWith(`${name}, limited`, scopes, ['shop']);
    for (const row of rows) {
      const at = `${name}: ${nameOfRow(row)}`;
      const allowed = row.scope === 'any' || scopes.includes(row.scope);
      if (role !== null && row.roles[role] !== allowed) wrong.push(`${at}: the table is wrong`);
      // The routes of another tracker's command line have its form of errors.
      const missing = row.path.startsWith('/api/0/') ? {} : { code: 'forbidden', scope: row.scope };
      const ofRun = row.path.includes(':run_id');
      const own = askOf(row, inside, 'shop', []);
      const body = bodyBeyond(row, inside);
      const foreign = askOf(row, outside, 'bank', body);
      if (!allowed) {
        expect(at, await all(own), 403, missing);
        expect(`${at}, limited`, await some(own), 403, missing);
        if (ofRun) expect(`${at}, outside`, await some(foreign), 403, missing);
        continue;
      }
      const free = expect(at, await all(own), null);
      const limited = await some(own);
      if (row.limited === 'refused') {
        expect(`${at}, limited`, limited, 403, { code: 'forbidden', scope: undefined });
        continue;
      }
      expect(`${at}, limited`, limited, free.status);
      const beyond = await some(foreign);
      if (ofRun) {
        // A body that this test does not know may be malformed; then it must be so for a run that does not exist, too.
        const absent = await all(askOf(row, ABSENT, 'bank', body));
        expect(`${at}, outside`, beyond, absent.status, { code: absent.json?.code });
        if (Object.keys(body).length > 0) expect(`${at}, outside`, beyond, 404, { code: 'run_not_found' });
      }
      if (row.path.includes(':project')) expect(`${at}, outside`, beyond, 404);
      for (const { text } of [limited, beyond]) {
        if (text.includes(SECRET) || (!ofRun && text.includes(outside)))
          wrong.push(`${at} tells of the bank`);
      }
    }
  }
  t.same(wrong, []);
  t.match(
    await bench.engine.run(outside),
    { state: 'staged_raw', claim: null },
    'nothing has changed the other run',
  );
});

t.test('what a token with projects sees: lists, searches, counts, the live feed and MCP', async (t) => {
  const bench = await coreBench({ moreProjects: ['shop', 'till', 'bank'] });
  t.teardown(bench.close);
  const ids = {
    shop: [await bench.stage('boom one', 'shop'), await bench.stage('boom two', 'shop')],
    till: [await bench.stage('boom three', 'till')],
    bank: [await bench.stage(`boom of the ${SECRET}`, 'bank')],
  };
  const { token } = await makeToken(bench, {
    name: 'some',
    scopes: ['read', 'gate1'],
    projects: ['till', 'shop'],
  });
  const some = clientOf(bench, token);
  const listed = async (query: string) => {
    const { runs, next, total } = (await some({ path: `/api/v1/runs?${query}` })).json;
    return { ids: runs.map(({ run_id }: { run_id: string }) => run_id), next, total };
  };
  const own = [...ids.till, ...ids.shop.toReversed()];
  t.match(await listed(''), { ids: own, next: null });
  const first = await listed('limit=2');
  t.same(first.ids, own.slice(0, 2), 'a page is as full as for others');
  t.match(await listed(`limit=2&cursor=${encodeURIComponent(first.next)}`), {
    ids: own.slice(2),
    next: null,
  });
  t.match(await listed('q=boom'), { ids: own, total: 3 }, 'a search counts only its own');
  t.same((await listed(`q=${SECRET}`)).ids, []);
  t.same((await listed(`q=${ids.bank[0]}`)).ids, []);
  t.same((await listed('project=bank')).ids, []);
  t.same((await listed('project=till&order=newest')).ids, ids.till);
  t.match((await some({ path: '/api/v1/digest' })).json, { waiting: { gate1: 3 }, new_runs: 3 });
  const merge = { method: 'POST', path: `/api/v1/runs/${ids.shop[0]}/merge`, body: { into: ids.bank[0] } };
  t.match((await some(merge)).json, { status: 404, code: 'run_not_found' });
  const absent = await some({ path: `/api/v1/runs/${ABSENT}` });
  const foreign = await some({ path: `/api/v1/runs/${ids.bank[0]}` });
  const named = (answer: Answer, id: string) => ({
    ...answer.json,
    detail: answer.json.detail.replace(id, 'ID'),
  });
  t.same(
    named(foreign, ids.bank[0] ?? ''),
    named(absent, ABSENT),
    'a run of others looks like one that does not exist',
  );

  const headers = { host: bench.host, authorization: `Bearer ${token}` };
  const feed = await openSocket(bench.core.port, '/api/v1/live', headers);
  const snapshot = await feed.next();
  t.same((snapshot.runs as { run_id: string }[]).map(({ run_id }) => run_id).sort(), [...own].sort());
  t.same(snapshot.guard, []);
  const since = `${snapshot.epoch}.${snapshot.sequence}`;
  const topic = await openSocket(bench.core.port, '/api/v1/live?topics=project:bank', headers);
  t.same((await topic.next()).runs, [], 'a topic does not widen it');
  await bench.stage(`again the ${SECRET}`, 'bank');
  const last = await bench.stage('boom four', 'till');
  t.match(await feed.next(), { type: 'run', run: { run_id: last } }, 'the other project is not announced');
  const resumed = await openSocket(bench.core.port, `/api/v1/live?since=${since}`, headers);
  t.match(await resumed.next(), { type: 'run', run: { run_id: last } }, 'not even to a reader that resumes');
  for (const socket of [feed, topic, resumed]) socket.end();

  const mcp = (name: string, input: object) => callTool(some, name, input);
  const found = await mcp('search_runs', { query: 'boom' });
  t.ok(own.every((id) => found.includes(id)));
  t.notOk(found.includes(SECRET));
  for (const tool of [
    'get_run',
    'get_stack',
    'get_occurrences',
    'get_suspects',
    'get_evidence',
    'get_draft',
    'get_fix_brief',
  ]) {
    const answer = await mcp(tool, { run_id: ids.bank[0] });
    t.match(answer, /run_not_found/, tool);
    t.notOk(answer.includes(SECRET), tool);
  }
});

t.test('a token for releases of one project records none of another', async (t) => {
  const bench = await coreBench({ moreProjects: ['shop', 'bank'] });
  t.teardown(bench.close);
  const { token } = await makeToken(bench, { name: 'ci', scopes: ['release'], projects: ['shop'] });
  const ci = clientOf(bench, token);
  const path = '/api/0/organizations/own/releases/';
  const foreign = await ci({ method: 'POST', path, body: { version: '1.0.0', projects: ['bank'] } });
  t.ok(foreign.status >= 400 && foreign.status < 500, String(foreign.status));
  t.equal(await bench.engine.releases.find('bank', '1.0.0'), null);
  const own = await ci({ method: 'POST', path, body: { version: '1.0.0', projects: ['shop'] } });
  t.equal(own.status, 201);
  t.match(await bench.engine.releases.find('shop', '1.0.0'), { version: '1.0.0' });
});

t.test(
  'an agent comments over MCP, and edits the draft with gate2; a person sees both',
  { skip: skipBoard },
  async (t) => {
    const bench = await boardBench(t);
    const id = await bench.stage();
    await bench.engine.approveGateOne(id, { name: 'grace', via: 'api' });
    const before = (await bench.engine.run(id)).draft;
    const reading = await makeToken(bench, { name: 'reader', scopes: ['read'] });
    for (const api of [bench.api, clientOf(bench, reading.token)]) {
      const tools = await callMcp(api, 'tools/list', {});
      t.match(tools, /get_fix_brief/);
      t.notMatch(tools, /add_comment|edit_draft/, 'read-only by default');
      t.match(await callTool(api, 'add_comment', { run_id: id, comment: 'x' }), /"error"|isError/);
    }
    const commenting = await makeToken(bench, { name: 'fix agent', scopes: ['read', 'comment'] });
    const commenter = clientOf(bench, commenting.token);
    const tools = await callMcp(commenter, 'tools/list', {});
    t.match(tools, /add_comment/);
    t.notMatch(tools, /edit_draft/, 'only with gate2');
    t.match(
      await callTool(commenter, 'add_comment', { run_id: id, comment: 'I look at it' }),
      /comment was added/,
    );
    const edit = {
      run_id: id,
      digest: before?.digest,
      title: 'Carts without a voucher crash',
      body: `# Cause\n\n${commenting.token} <img src=x onerror=alert(1)>`,
    };
    t.match(await callTool(commenter, 'edit_draft', edit), /"error"|isError/);
    t.same((await bench.engine.run(id)).draft, before);

    const { token } = await makeToken(bench, { name: 'edit agent', scopes: ['read', 'comment', 'gate2'] });
    const agent = clientOf(bench, token);
    for (const tool of ['get_run', 'get_evidence', 'get_fix_brief'])
      t.notOk((await callTool(agent, tool, { run_id: id })).includes(before?.digest ?? ''), tool);
    const shown = await callTool(agent, 'get_draft', { run_id: id });
    t.match(shown, `Digest of this text: \`${before?.digest}\``);
    t.match(shown, 'Generated, not edited');
    t.ok(shown.includes(JSON.stringify(before?.body.slice(0, 40)).slice(1, -1)), 'with the text');
    t.match(await callTool(agent, 'edit_draft', { ...edit, digest: '0'.repeat(64) }), /draft_changed/);
    t.match(await callTool(agent, 'edit_draft', edit), /The draft was changed/);
    const { draft } = await bench.engine.run(id);
    const again = { ...edit, digest: draft?.digest };
    t.match(await callTool(agent, 'edit_draft', again), /The draft is the same as before/);
    t.match(await callTool(agent, 'get_draft', { run_id: id }), 'Last edited by `ada`');
    t.match(draft, { title: 'Carts without a voucher crash', edited_by: 'ada' });
    t.notOk(draft?.body.includes(commenting.token), 'an edit is sanitised');
    const decided = (await bench.engine.history(id)).filter(({ name }) =>
      /^(comment|draft.edit)$/.test(name),
    );
    t.match(decided, [
      { by: 'ada', detail: { comment: 'I look at it', token: 'fix agent' } },
      { by: 'ada', detail: { before: before?.digest, token: 'edit agent' } },
    ]);

    const { page, problems } = await visit(t, `${bench.core.url}/#${id}/draft`);
    await signIn(page);
    await page.getByText('edited by ada').first().waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('tabpanel').getByText('Carts without a voucher crash').first().waitFor();
    t.equal(await page.locator('#draft-panel img').count(), 0, 'as text');
    t.same(problems, []);

    const large = { ...again, body: `# Cause\n\n${'é'.repeat(60_000)}` };
    t.match(await callTool(agent, 'edit_draft', large), /The draft was changed/, 'a body above 64 KiB');
    const cut = await callTool(agent, 'get_draft', { run_id: id });
    t.match(cut, /The body has 60009 characters; the rest is not shown/);
    t.notOk(
      cut.includes((await bench.engine.run(id)).draft?.digest ?? ''),
      'no digest without the whole text',
    );
  },
);

t.test('the board of a reader who is limited to a project', { skip: skipBoard }, async (t) => {
  const bench = await boardBench(t);
  const id = await bench.stage();
  const { page, problems, requests } = await visit(t, `${bench.core.url}/`);
  await page.route('**/api/v1/session', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const answer = await route.fetch();
    const own = { scopes: ['read'], projects: ['default'] };
    const me = { ...((await answer.json()) as object), ...own, grants: [own] };
    return route.fulfill({ response: answer, json: me });
  });
  await page.goto(`${bench.core.url}/#${id}`);
  await signIn(page);
  const bar = page.locator('.gate-bar[data-gate="Gate 1"]');
  await bar.getByText('It needs the scope “gate1”.').waitFor();
  t.equal(await bar.getByRole('button', { name: /Approve/ }).isDisabled(), true);
  t.equal(await page.getByRole('button', { name: /Comment/ }).isDisabled(), true);
  t.equal(await page.getByRole('link', { name: 'Edges' }).count(), 0);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Tokens' }).count(), 0);
  t.notOk(requests.some((url) => url.includes('/api/v1/edges')));
  t.same(problems, []);
});
