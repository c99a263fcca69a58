import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import {
  type DoubleApp,
  type DoubleOptions,
  type DoubleRepository,
  type DoubleToken,
  startGithubDouble,
} from '@culprit/doubles/github';
import t, { type Test } from 'tap';
import { github } from '../../src/github/index.js';
import { signal } from '../git/support/context.js';
import { makeRepository } from '../git/support/repository.js';
import {
  bench,
  context,
  FULL,
  failure,
  HEAD,
  issue,
  NO_HINTS,
  REPOSITORY,
  SHOP,
  SINCE,
  TOKEN,
} from './support/github-bench.js';
import { callsIn, callsOf } from './support/github-calls.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Where requests to GitHub are written. */
const SOURCES = ['packages/connectors/src/github', 'packages/connectors/src/shared', 'packages/host/src'];
const MINUTE = 60_000;
const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    // GitHub's own format, PKCS#1.
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
const KEY = pair();
const APP: DoubleApp = {
  slug: 'culprit',
  publicKey: KEY.publicKey,
  permissions: { metadata: 'read', contents: 'read', issues: 'write' },
};
const IDENTITY = { id: '4711', privateKey: KEY.privateKey };

async function appBench(t: Test, app: Partial<DoubleApp> = {}, options: Partial<DoubleOptions> = {}) {
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: SHOP }, 'acme/other': { git: SHOP } },
    tokens: {},
    apps: { 4711: { ...APP, ...app } },
    ...options,
  });
  t.teardown(() => double.close());
  const start = async (identity = IDENTITY) => {
    const parts = await github({ app: identity, apiUrl: double.url, timeoutMs: 300_000 }).setup(context);
    const { codeHost, publisher } = parts;
    if (!codeHost || !publisher) throw new Error('the connector must have both');
    return { codeHost, publisher };
  };
  const asked = (path: RegExp) => double.requests.filter((request) => path.test(request.path));
  return { double, start, asked, ...(await start()) };
}

t.test('an App reads and publishes, and finds its issue again', async (t) => {
  const { double, start, asked, codeHost, publisher } = await appBench(t);
  const trees = await Promise.all(
    Array.from({ length: 8 }, () => codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal)),
  );
  t.ok(trees.every(({ revision }) => revision.sha === HEAD));
  t.equal(asked(/access_tokens$/).length, 1, 'concurrent requests share one token');
  t.equal(await publisher.find(REPOSITORY, 'a', SINCE, signal), null);
  const made = await publisher.create(issue('a'), signal);
  t.equal(double.issues(REPOSITORY)[0]?.user, 'culprit[bot]');
  const found = await (await start()).publisher.find(REPOSITORY, 'a', SINCE, signal);
  t.equal(found?.number, made.number, 'also where the creator filter does not find Apps');
  t.strictSame(asked(/^\/user$/), [], 'which no App may ask');
  await publisher.find('acme/other', 'a', SINCE, signal);
  t.equal(asked(/\/acme\/other\/installation$/).length, 1, 'the installation is found by repository');
});

t.test('tokens are renewed before they expire, and also in the middle of a publication', async (t) => {
  const { double, asked, codeHost, publisher } = await appBench(t);
  await publisher.find(REPOSITORY, 'a', SINCE, signal);
  double.advance(61 * MINUTE);
  await publisher.create(issue('a'), signal);
  t.equal(double.issues(REPOSITORY).length, 1, 'one issue');
  t.equal(asked(/access_tokens$/).filter(({ status }) => status === 201).length, 2);
  double.advance(61 * MINUTE);
  const tree = await codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal);
  t.equal(tree.revision.sha, HEAD, 'reads are renewed, too');

  const brief = await appBench(t, { tokenMs: 4 * MINUTE });
  for (const marker of ['a', 'b']) await brief.publisher.find(REPOSITORY, marker, SINCE, signal);
  t.ok(brief.asked(/access_tokens$/).length >= 2, 'a token that ends within five minutes is not used again');
  t.notOk(
    brief.double.requests.some(({ status }) => status === 401),
    'so GitHub never rejects one',
  );
});

t.test('two servers may give their installations the same number', async (t) => {
  const benches = await Promise.all([appBench(t), appBench(t)]);
  const trees = benches.map(({ codeHost }) =>
    codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal),
  );
  for (const { revision } of await Promise.all(trees)) t.equal(revision.sha, HEAD);
  for (const { double, asked } of benches) {
    t.equal(asked(/access_tokens$/).length, 1, 'each gives its own token');
    t.notOk(double.requests.some(({ status }) => status === 401));
  }
});

t.test('what keeps an App from its token is said, before and during a publication', async (t) => {
  const other = pair().privateKey;
  const cases = [
    { identity: { id: '4711', privateKey: other }, says: /rejects the App's key or id.*GITHUB_APP_KEY/ },
    { identity: { ...IDENTITY, id: '4712' }, says: /no such App\. Check GITHUB_APP_ID/ },
    { app: { repositories: ['acme/other'] }, says: /not installed on acme\/shop/ },
    { app: { suspended: true as const }, says: /no token for acme\/shop: .*suspended.*Unsuspend it/ },
  ];
  for (const { identity, app = {}, says } of cases) {
    const { start } = await appBench(t, app);
    const { codeHost, publisher } = await start(identity);
    t.match(await failure(codeHost.tree(REPOSITORY, NO_HINTS, signal)), {
      code: 'code_host_forbidden',
      message: says,
    });
    t.match(await failure(publisher.create(issue('a'), signal)), { code: 'publish_refused', message: says });
  }
  const { double, publisher } = await appBench(t);
  double.fault({ path: '/installation', kind: 'status', status: 502, times: 9 });
  t.match(
    await failure(publisher.create(issue('a'), signal)),
    { code: 'publish_wait' },
    'an outage is waited out: nothing was sent',
  );
  t.equal(double.issues(REPOSITORY).length, 0);
});

t.test('a missing permission is named in the words of Apps; a wrong clock is corrected', async (t) => {
  const { codeHost } = await appBench(t, { permissions: { metadata: 'read', issues: 'write' } });
  t.match(await failure(codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal)), {
    code: 'code_host_forbidden',
    message: /Contents: read.*by integration/i,
  });
  const early = await appBench(t, {}, { now: () => Date.now() + 30 * MINUTE });
  t.equal(await early.publisher.find(REPOSITORY, 'a', SINCE, signal), null);
});

t.test('the check of an App is one question; what it lacks is said', async (t) => {
  const check = async (double: { readonly url: string }, identity = IDENTITY) => {
    const config = { app: identity, apiUrl: double.url, repository: REPOSITORY, timeoutMs: 300_000 };
    return (await (await github(config).setup(context)).check?.(signal)) ?? [];
  };
  const { double, asked } = await appBench(t);
  const checks = await check(double);
  t.strictSame(
    checks.filter(({ ok }) => !ok),
    [],
  );
  t.match(checks, [
    { name: 'github token', detail: /the App: culprit\[bot\]/ },
    { name: 'github contents' },
    {},
  ]);
  t.equal(asked(/^\/graphql$/).length, 1, 'one question');
  t.equal(asked(/^\/(user|repos\/acme\/shop\/(issues|commits))/).length, 0, 'and nothing else');
  const absent = await appBench(t, { repositories: ['acme/other'] });
  t.match(await check(absent.double), [{ ok: false, detail: /not installed on acme\/shop/ }]);
  const reads = await appBench(t, { permissions: { contents: 'read' } });
  t.match(await check(reads.double), [
    {},
    { ok: true },
    { ok: false, detail: /Issues: write on acme\/shop/ },
  ]);
});

t.test('the token of GitHub Actions publishes, although it may not ask for its user', async (t) => {
  const { double, publisher } = await bench(t, { ...FULL, user: 'github-actions[bot]', app: true });
  await publisher.create(issue('a'), signal);
  t.equal((await publisher.find(REPOSITORY, 'a', SINCE, signal))?.number, 1);
  t.equal(double.issues(REPOSITORY)[0]?.user, 'github-actions[bot]');
});

t.test('every request that the code contains is sent, and as GitHub describes it', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'shop'));
  const first = repository.commit({ 'src/cart.js': 'one\n' });
  repository.git('checkout', '-q', '-b', 'release');
  const released = repository.commit({ 'src/cart.js': 'two\n' });
  repository.git('checkout', '-q', 'main');
  repository.git('tag', 'v1', first);
  const deployed = [2, 3, 4].map((n) => repository.commit({ 'src/cart.js': `${n}\n` }));
  repository.git('tag', 'v2', deployed[0] ?? '');
  const deployments = deployed.map((sha, createdAt) => ({ sha, environment: 'production', createdAt }));
  const permissions = { ...FULL.permissions, pull_requests: 'read', deployments: 'read' } as const;
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: repository.path, assignable: ['ada'], deployments } },
    tokens: { full: { ...FULL, permissions }, triage: { ...FULL, role: 'triage' } },
    apps: { 4711: { slug: 'culprit', publicKey: KEY.publicKey, permissions } },
    issueTypes: { acme: ['Bug'] },
    treeEntriesAtMost: 1,
  });
  // Rejects if a request is not as GitHub describes it.
  t.teardown(() => double.close());
  const common = {
    apiUrl: double.url,
    repository: REPOSITORY,
    assignees: ['ada'],
    issueType: 'Bug',
    tryWriting: true,
  };
  const open = async (credential: { token: string } | { app: typeof IDENTITY }) => {
    const made = github({ ...common, ...credential, mirror: { directory: join(folder, 'mirrors') } });
    const { codeHost, publisher, check, close } = await made.setup(context);
    t.teardown(() => close?.());
    if (!codeHost || !publisher || !check) throw new Error('the connector must have all');
    return { codeHost, publisher, check };
  };

  const { codeHost, publisher, check } = await open({ app: IDENTITY });
  for (const commit of [first, released])
    await codeHost.tree(REPOSITORY, { ...NO_HINTS, commit, release: 'v1', paths: ['src/cart.js'] }, signal);
  for (const release of ['v2', deployed[2] ?? ''])
    await codeHost.tree(REPOSITORY, { ...NO_HINTS, release }, signal);
  await codeHost.blame(REPOSITORY, first, ['src/cart.js'], signal);
  await codeHost.commits(REPOSITORY, [first], signal);
  await codeHost.diff(REPOSITORY, first, signal);
  t.same(await codeHost.questions?.lines(REPOSITORY, first, 'src/cart.js', signal), ['one']);
  await codeHost.ancestry?.firstRelease?.(REPOSITORY, first, signal);
  await publisher.expect?.({ ...issue('a'), assignees: ['ada'] }, signal);
  await publisher.create({ ...issue('a'), assignees: ['ada'] }, signal);
  await check(signal);
  const { publisher: triage } = await open({ token: 'triage' });
  const { number } = await triage.create({ ...issue('b'), assignees: ['ada'] }, signal);
  await triage.find(REPOSITORY, 'b', SINCE, signal);
  await triage.read(REPOSITORY, number, signal);
  await triage.edits?.last(REPOSITORY, number, signal);
  double.closeIssue(REPOSITORY, number);
  await triage.read(REPOSITORY, number, signal);
  await triage.reopening?.comment(REPOSITORY, number, 'Back', signal);
  await triage.reopening?.find(REPOSITORY, number, 'b', SINCE, signal);
  await triage.reopening?.open(REPOSITORY, number, signal);
  await triage.reopening?.close?.(REPOSITORY, number, signal);

  const succeeded = double.requests.filter(({ status }) => status !== null && status < 300);
  const sent = [...new Set(succeeded.map(({ route }) => route))].sort();
  t.strictSame(sent, callsIn(ROOT, SOURCES), 'sent with success, and written in the code');
});

t.test('a request in any form is seen', async (t) => {
  const source = `
    const a = 'GET /repos/{owner}/{repo}';
    const b = \`POST /repos/{owner}/{repo}/\${what}\`;
    const c = \`query Blame($a:Int){\${fields}}\`;
    const d = 'mutation Close{x}';
    // GET /comments/do/not/count
    const e = 'GET /webhook/github is closed';
    client.rest.issues.get({});
    const { addLabels, create: make } = client.rest.issues;
    const { issues } = client.rest;
    const { rest } = client;
    const { ...rest } = other;
    const methods = client.rest.git;
    const named = client.rest[scope];
    client.rest.issues.invent();`;
  t.strictSame(callsOf(source), [
    'GET /repos/{owner}/{repo}',
    'POST /repos/{owner}/{repo}/${',
    'query Blame',
    'mutation Close',
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
    'POST /repos/{owner}/{repo}/issues',
    '{ issues } = client.rest',
    '{ rest }',
    'methods = client.rest.git',
    'client.rest[scope]',
    'rest.issues.invent',
  ]);
});

t.test('a list that GitHub did not send whole never means that the issue does not exist', async (t) => {
  const { double } = await bench(t);
  const open = async (answer: (response: Response) => Response) => {
    const altered: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      return /\/issues\?/.test(String(url)) ? answer(response) : response;
    };
    const { publisher } = await github({ token: TOKEN, apiUrl: double.url }).setup({
      ...context,
      fetch: altered,
    });
    if (!publisher) throw new Error('no publisher');
    return failure(publisher.find(REPOSITORY, 'm', SINCE, signal));
  };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const cut = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('[')),
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  const cases: [string, () => Response][] = [
    ['cut off', () => new Response(cut, { headers: json })],
    ['empty', () => new Response('', { headers: json })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['a text', () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })],
    [
      'a conflict',
      () => new Response('{"message":"Git Repository is empty."}', { status: 409, headers: json }),
    ],
    ['null', () => new Response('null', { headers: json })],
    ['no place', () => new Response('[]', { status: 300, headers: json })],
  ];
  for (const [name, answer] of cases) {
    const { code } = await open(answer);
    t.match(code, /^(?:code_host_unavailable|revision_not_found)$/, name);
  }
});

t.test('further pages are asked of the configured server, whatever a response calls it', async (t) => {
  const { double } = await bench(t, FULL, { limits: false });
  const old = { repository: REPOSITORY, title: 'old', labels: [], assignees: [], user: 'culprit-bot' };
  for (let number = 0; number < 101; number++)
    double.addIssue({ ...old, body: markedBody('Old', `marker-${number}`) });
  const asked: string[] = [];
  const renaming: typeof fetch = async (url, init) => {
    asked.push(new URL(String(url)).origin);
    const response = await fetch(url, init);
    const headers = new Headers(response.headers);
    headers.set('link', (headers.get('link') ?? '').replaceAll(double.url, 'https://elsewhere.example'));
    return new Response(response.body, { status: response.status, headers });
  };
  const config = { token: TOKEN, apiUrl: double.url };
  const { publisher } = await github(config).setup({ ...context, fetch: renaming });
  t.match(await publisher?.find(REPOSITORY, 'marker-0', SINCE, signal), { number: 1 });
  t.same(new Set(asked), new Set([double.url]), 'nobody else gets the token');
});

t.test('the addresses of both APIs, on GHE.com and on Enterprise Server', async (t) => {
  const asked: string[] = [];
  const nobody: typeof fetch = async (url) => {
    asked.push(String(url));
    throw new TypeError('fetch failed');
  };
  for (const apiUrl of ['https://api.octocorp.ghe.com', 'https://corp.example/api/v3/']) {
    const { codeHost, publisher } = await github({ token: TOKEN, apiUrl }).setup({
      ...context,
      fetch: nobody,
    });
    await codeHost?.tree(REPOSITORY, NO_HINTS, signal).catch(() => {});
    await publisher?.read(REPOSITORY, 1, signal).catch(() => {});
  }
  t.same(asked, [
    'https://api.octocorp.ghe.com/graphql',
    `https://api.octocorp.ghe.com/repos/${REPOSITORY}/issues/1`,
    'https://corp.example/api/graphql',
    `https://corp.example/api/v3/repos/${REPOSITORY}/issues/1`,
  ]);
});

t.test('the coding agent: assigned once, and every way in which GitHub does not assign it', async (t) => {
  const agentToken = 'github_pat_AGENT';
  const rights = { ...FULL.permissions, contents: 'write', pull_requests: 'write' } as const;
  const open = async (token: Partial<DoubleToken> = {}, repository: Partial<DoubleRepository> = {}) => {
    const double = await startGithubDouble({
      limits: false,
      repositories: { [REPOSITORY]: { git: SHOP, codingAgent: true, ...repository } },
      tokens: { [TOKEN]: FULL, [agentToken]: { user: 'ada', permissions: rights, ...token } },
    });
    // Rejects if a request is not as GitHub describes it.
    t.teardown(() => double.close());
    const config = { token: TOKEN, agentToken, apiUrl: double.url };
    const { publisher } = await github(config).setup(context);
    if (publisher?.agent === undefined) throw new Error('no agent');
    const { number } = await publisher.create(issue('agent'), signal);
    const { agent } = publisher;
    const names = () => double.issues(REPOSITORY).find((one) => one.number === number)?.assignees;
    const comments = (of = number) => agent.comments?.(REPOSITORY, of, signal);
    const write = (user: string, body: string) =>
      fetch(`${double.url}/repos/${REPOSITORY}/issues/${number}/comments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user}`, 'content-type': 'application/json' },
        body: JSON.stringify({ body }),
      });
    const assign = (to = number) => failure(agent.assign(REPOSITORY, to, signal));
    return { double, number, names, assign, comments, write };
  };
  const { double, number, names, assign, comments, write } = await open();
  t.same(await comments(), []);
  await write(TOKEN, 'It happened again.');
  t.same(await comments(), [], 'the publisher’s own');
  for (let count = 0; count < 101; count++) await write(agentToken, `Note ${count}`);
  const others = (await comments()) ?? [];
  t.equal(others.length, 101, 'all pages');
  const url = /issues\/1#issuecomment-/;
  t.match(others.at(-1), { by: 'ada', body: 'Note 100', at: /^2\d{3}-.+Z$/, url });
  t.match(
    await failure(Promise.resolve(comments(number + 1))),
    { code: 'hand_off_refused' },
    'no such issue',
  );
  t.match(await assign(), { code: 'ok' });
  t.match(await assign(), { code: 'ok' }, 'assigning it again has no effect');
  t.same(names(), ['Copilot']);
  t.match(await assign(number + 1), { code: 'hand_off_refused' }, 'no such issue');
  double.fault({ method: 'POST', path: '/assignees', kind: 'status', status: 502 });
  t.match(await assign(), { code: 'code_host_unavailable' });
  double.fault({ method: 'POST', path: '/assignees', kind: 'status', status: 429, retryAfter: 3 });
  t.match(await assign(), { code: 'code_host_unavailable', retryAfterMs: 3_000 });
  double.fault({ method: 'POST', path: '/assignees', kind: 'garbage' });
  t.not((await assign()).code, 'ok', 'an unreadable response proves nothing');
  const ignored: [Partial<DoubleToken>, Partial<DoubleRepository>][] = [
    [{}, { codingAgent: false }],
    [{ app: true }, {}],
    [{ permissions: { ...rights, contents: 'read' } }, {}],
    [{ permissions: FULL.permissions }, {}],
  ];
  for (const [token, repository] of ignored) {
    const { names: shown, assign: attempt } = await open(token, repository);
    t.match(await attempt(), { code: 'hand_off_refused', message: /Turn the agent on/ });
    t.same(shown(), []);
  }
  const { assign: reader } = await open({ permissions: { ...rights, issues: 'read' } });
  t.match(await reader(), { code: 'hand_off_refused', message: /permission/ });
  const { publisher } = await bench(t);
  t.equal(publisher.agent, undefined, 'off without a token');
});
