import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { type DoubleOptions, startGithubDouble } from '../src/github/index.js';

const MAIN = fileURLToPath(new URL('../dist/github/main.js', import.meta.url));
const REPOSITORY = 'acme/shop';
const SHOP = repository(join(t.testdir(), 'shop'));

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) => {
    const who = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'Ada' };
    const env = { ...process.env, ...who, GIT_COMMITTER_EMAIL: 'a@x', GIT_CONFIG_GLOBAL: '/dev/null' };
    execFileSync('git', ['-C', folder, ...args], { env });
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'cart.js'), 'one\ntwo\n');
  git('add', '.');
  git('commit', '-qm', 'feat: a cart');
  writeFileSync(join(folder, 'cart.js'), 'one\nTWO\n');
  git('commit', '-qam', 'fix: two');
  return folder;
}

/** A response of any shape; missing members are `undefined`. */
interface Json {
  readonly [member: string]: Json;
  readonly [index: number]: Json;
  readonly length: number & Json;
}

const FULL = { user: 'bot', permissions: { contents: 'read', issues: 'write' } } as const;

async function bench(t: Test, options: Partial<DoubleOptions> = {}) {
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: SHOP } },
    tokens: { full: FULL, blind: { user: 'blind', permissions: {} } },
    ...options,
  });
  t.teardown(() => double.close());
  return { double, ...client(double.url, double.graphqlUrl) };
}

function client(url: string, graphqlUrl: string) {
  const ask = async (method: string, path: string, body?: unknown, token = 'full') => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, json: (text === '' ? null : JSON.parse(text)) as Json };
  };
  const graphql = async (query: string, token = 'full') => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await response.json()) as Json;
  };
  return {
    ask,
    graphql,
    list: `/repos/${REPOSITORY}/issues?state=all`,
    issues: `/repos/${REPOSITORY}/issues`,
  };
}

t.test('GraphQL: the real schema, null bubbling, permissions', async (t) => {
  const { graphql, double } = await bench(t);
  const blame = 'object(expression:"HEAD"){... on Commit{blame(path:"cart.js"){ranges{startingLine}}}}';
  const lost = 'object(expression:"HEAD"){... on Commit{blame(path:"nowhere"){ranges{startingLine}}}}';
  const at = (fields: string, name = 'shop') => `{repository(owner:"acme",name:"${name}"){${fields}}}`;
  const answer = await graphql(at(`a:${blame} b:${lost}`));
  const ranges = [{ startingLine: 1 }, { startingLine: 2 }];
  const kept = { a: { blame: { ranges } }, b: null };
  t.match(answer.data, { repository: kept }, 'blame is non-null: only its parent object becomes null');
  t.match(answer.errors, [{ type: 'NOT_FOUND', path: ['repository', 'b', 'blame'] }]);
  t.match(await graphql(at('nonsense')), { errors: [{ message: /Cannot query field "nonsense"/ }] });
  t.match(await graphql(at('x:object(expression:"HEAD"){... on Commit{history{totalCount}}}')), {
    errors: [{ type: 'MISSING_PAGINATION_BOUNDARIES' }],
  });
  t.match(await graphql(at(blame), 'blind'), { errors: [{ type: 'FORBIDDEN' }] });
  t.match(await graphql(at(blame, 'nowhere')), {
    data: { repository: null },
    errors: [{ type: 'NOT_FOUND' }],
  });
  t.match(await graphql(at(blame), 'wrong'), { message: 'Bad credentials' });
  const many = Array.from({ length: 9 }, (_, index) => `f${index}:${blame}`).join(' ');
  t.match(await graphql(at(many)), { data: null, errors: [{ message: /may be the result of a timeout/ }] });
  double.fault({ kind: 'graphql-partial' });
  const partial = await graphql(at(`f0:${blame} f1:${blame}`));
  t.match(partial.data, { repository: { f0: null, f1: { blame: Object } } });
  t.match(partial.errors, [{ type: 'RESOURCE_LIMITS_EXCEEDED' }]);
  t.match(double.violations.splice(0), [/^query: .*"nonsense"/, /^query: .*`first` or `last` value/]);
});

t.test('requests that GitHub does not describe are violations, whatever the answer', async (t) => {
  const { ask, graphql, double, issues } = await bench(t);
  const seen = async (work: Promise<unknown>) => {
    await work;
    return double.violations.splice(0);
  };
  t.match(await seen(ask('GET', `${issues}?per_page=300`)), [/per_page=300 is not allowed/]);
  t.match(await seen(ask('GET', `${issues}?perpage=10`)), [/perpage is no parameter/]);
  t.match(await seen(ask('GET', `${issues}?state=shut&page=0&since=today`)), [/state/, /page/, /since/]);
  t.match(await seen(ask('GET', `${issues}/one`)), [/issue_number=one is not allowed/]);
  t.match(await seen(ask('GET', '/repos/acme/shop/nowhere')), ['GitHub has no GET /repos/acme/shop/nowhere']);
  t.match(await seen(ask('POST', issues, { title: 't', label: ['x'] })), [/label is no member of the body/]);
  t.match(await seen(ask('POST', `${issues}/1/labels`, { labels: [{ title: 'x' }] })), [/labels|title/]);
  t.match(await seen(ask('GET', issues, undefined, 'wrong')), [], 'a refused request can be right');
  t.same(await seen(ask('GET', `${issues}?after=Y3Vyc29y&per_page=100&labels=a,b&direction=asc`)), []);
  const named = `query A($name:String!){repository(owner:"acme",name:$name){id}}`;
  t.match(await seen(graphql(named)), [/^query A: Variable "\$name" of required type/]);
  t.match(await seen(graphql('query B{viewer{logn}}')), [/^query B: Cannot query field "logn"/]);
  t.match(await seen(graphql('query {')), [/^GraphQL: Syntax Error/]);
  t.same(double.requests.at(0)?.route, 'GET /repos/{owner}/{repo}/issues');
  t.match(await ask('GET', `${issues}?per_page=0`), {});
  await t.rejects(double.close(), /per_page=0/, 'so a suite fails that sends one');
  double.violations.splice(0);
});

t.test('issues: limits, permissions, dropped and rejected members', async (t) => {
  const tokens = {
    full: FULL,
    reader: { user: 'reader', permissions: { issues: 'read' } },
    poor: { ...FULL, user: 'poor', role: 'read' },
    triage: { ...FULL, user: 'triage', role: 'triage' },
    old: { ...FULL, user: 'old', expiresAt: 1 },
  } as const;
  const { ask, issues } = await bench(t, {
    tokens,
    repositories: {
      [REPOSITORY]: { git: SHOP },
      'acme/off': { git: SHOP, issuesDisabled: true },
      'acme/archive': { git: SHOP, archived: true },
      'acme/past': { git: SHOP, renamedTo: REPOSITORY },
    },
  });
  const made = await ask('POST', issues, { title: 't', body: 'b', labels: ['x'], assignees: [FULL.user] });
  t.match(made, { status: 201, json: { number: 1, title: 't', labels: [{ name: 'x' }] } });
  const long = (field: string) => ({ json: { errors: [{ field, message: /is too long/ }] } });
  t.match(await ask('POST', issues, { title: 'x'.repeat(257) }), { status: 422, ...long('title') });
  t.match(await ask('POST', issues, { title: 't', body: 'x'.repeat(65_537) }), {
    status: 422,
    ...long('body'),
  });
  t.equal((await ask('POST', issues, { body: 'no title' })).status, 422);
  const refused = await ask('POST', issues, { title: 't' }, 'reader');
  t.equal(refused.status, 403);
  t.equal(refused.headers.get('x-accepted-github-permissions'), 'issues=write');
  const nobody = await ask('POST', issues, { title: 't', assignees: ['nobody'] });
  t.match(nobody, {
    status: 422,
    json: { errors: [{ value: 'nobody', resource: 'Issue', field: 'assignees', code: 'invalid' }] },
  });
  const dropped = await ask('POST', issues, { title: 't', labels: ['x'], assignees: ['a'] }, 'poor');
  t.match(dropped, { status: 201, json: { labels: [], assignees: [] } });
  t.equal((await ask('GET', issues, undefined, 'old')).status, 401);
  t.equal((await ask('POST', '/repos/acme/off/issues', { title: 't' })).status, 410);
  t.equal((await ask('POST', '/repos/acme/archive/issues', { title: 't' })).status, 403);
  t.equal((await ask('GET', '/repos/acme/archive/issues')).status, 200);
  t.match(await ask('POST', '/repos/acme/past/issues', { title: 'moved' }), {
    status: 201,
    json: { repository_url: /acme\/shop$/ },
  });
  t.equal((await ask('GET', '/repos/acme/nowhere/issues')).status, 404);
  t.match(await ask('POST', `${issues}/1/labels`, { labels: ['X', 'new'] }, 'triage'), {
    status: 403,
    json: { errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }] },
  });
  t.match(await ask('POST', issues, { title: 't', labels: ['X'] }), { json: { labels: [{ name: 'x' }] } });
});

t.test('time: listing lag, late responses and limits follow the clock', async (t) => {
  const { ask, issues, list, double } = await bench(t, { listingLagMs: 8 * 60_000 });
  await ask('POST', issues, { title: 'late' });
  t.equal((await ask('GET', list)).json.length, 0);
  t.equal((await ask('GET', `${issues}/1`)).status, 200, 'the issue itself exists');
  double.advance(8 * 60_000 - 1_000);
  t.equal((await ask('GET', list)).json.length, 0);
  double.advance(1_000);
  t.equal((await ask('GET', list)).json.length, 1);

  double.fault({ kind: 'slow', ms: 60_000, method: 'POST' });
  const slow = ask('POST', issues, { title: 'slow' });
  t.equal(double.issues(REPOSITORY).length, 1, 'takes effect only when the response is sent');
  const arrived = async () => double.requests.filter(({ method }) => method === 'POST').length === 2;
  while (!(await arrived())) await ask('GET', list);
  double.advance(60_000);
  t.equal((await slow).status, 201);

  for (let made = 0; made < 78; made++) await ask('POST', issues, { title: `n${made}` });
  double.advance(50_000);
  t.equal((await ask('POST', issues, { title: 'the eightieth within a minute' })).status, 201);
  double.advance(60_000);
  const flood = Array.from({ length: 81 }, (_, at) => ask('POST', issues, { title: `flood ${at}` }));
  const last = (await Promise.all(flood)).filter(({ status }) => status === 403);
  t.equal(last.length, 1, '80 a minute');
  t.match(last[0]?.json.message, /secondary rate limit/);
  const wait = Number(last[0]?.headers.get('retry-after'));
  t.ok(wait > 50 && wait <= 60);
  double.advance(wait * 1_000);
  t.equal((await ask('POST', issues, { title: 'allowed again' })).status, 201);
});

t.test('scaled time; the primary limit is reported with 200', async (t) => {
  const scaled = await bench(t, { timeScale: 600, limits: { requestsPerHour: 2 } });
  scaled.double.fault({ kind: 'slow', ms: 60_000 });
  const started = performance.now();
  t.equal((await scaled.ask('GET', scaled.list)).status, 200);
  t.ok(performance.now() - started < 55_000, 'a minute takes a tenth of a second, not a minute');
  await scaled.ask('GET', scaled.list);
  const over = await scaled.ask('GET', scaled.list);
  t.equal(over.status, 403);
  t.equal(over.headers.get('x-ratelimit-remaining'), '0');
  for (let at = 0; at < 2; at++) await scaled.graphql('{viewer{login}}');
  t.match(await scaled.graphql('{viewer{login}}'), { data: null, errors: [{ type: 'RATE_LIMITED' }] });
  const enterprise = await bench(t, { enterprise: true });
  t.equal((await enterprise.ask('GET', enterprise.list)).headers.get('x-ratelimit-limit'), null);
  t.equal((await enterprise.ask('GET', '/rate_limit')).status, 404);
});

t.test('as a process: it reports when it is ready, is controllable, and persists its state', async (t) => {
  const persist = join(t.testdir(), 'double.json');
  const start = async () => {
    const child = spawn(
      process.execPath,
      [
        MAIN,
        '--repo',
        `${REPOSITORY}=${SHOP}`,
        '--token',
        'full=bot:contents=read,issues=write',
        '--persist',
        persist,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    t.teardown(() => child.kill('SIGKILL'));
    const [line] = await Promise.race([
      new Promise<string[]>((resolve) =>
        createInterface(child.stdout).once('line', (text) => resolve([text])),
      ),
    ]);
    const { url, graphql_url } = JSON.parse(line ?? '') as { url: string; graphql_url: string };
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return { child, ended, url, ...client(url, graphql_url) };
  };
  const first = await start();
  const steer = async (method: string, path: string, body?: unknown) =>
    await fetch(`${first.url}/__double/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then((response) => response.json() as Promise<Json>);
  await steer('POST', 'faults', { kind: 'status', status: 429, retryAfter: 7, method: 'POST' });
  const limited = await first.ask('POST', first.issues, { title: 'x' });
  t.equal(limited.status, 429);
  t.equal(limited.headers.get('retry-after'), '7');

  await steer('POST', 'holds', { method: 'POST', path: '/issues', when: 'after' });
  const held = first.ask('POST', first.issues, { title: 'held' }).catch(() => null);
  t.match(await steer('GET', 'held'), { held: [{ method: 'POST', when: 'after' }] });
  t.match(await steer('GET', 'issues'), { issues: [{ title: 'held' }] });
  t.match(await steer('POST', 'release'), { released: 1 });
  t.equal((await held)?.status, 201);

  await steer('POST', 'repositories', { name: REPOSITORY, renamedTo: 'acme/store' });
  t.match(await first.ask('GET', first.list), { status: 200, json: [{ title: 'held' }] });
  await steer('POST', 'tokens', { token: 'full', expiresAt: 1 });
  t.equal((await first.ask('GET', first.list)).status, 401);
  const page = await fetch(`${first.url}/__double/issues`, { headers: { origin: 'http://evil.example' } });
  t.equal(page.status, 403, 'web pages cannot control it');
  t.strictSame((await steer('GET', 'requests')).bugs, []);

  first.child.kill('SIGKILL');
  await first.ended;
  const second = await start();
  t.match(
    await second.ask('GET', '/repos/acme/shop/issues/1'),
    { status: 404 },
    'the repository has its new name',
  );
  second.child.kill('SIGTERM');
  t.equal(await second.ended, 0);
});
