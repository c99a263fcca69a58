import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import t from 'tap';
import { composeCore, loadConfig } from '../src/index.js';
import { startCoreChild } from './support/github-bench.js';
import { approve, CANARY, double, folder, NAME, READER, SECOND, SHOP, WRITER } from './support/github-kit.js';
import { openSocket } from './support/websocket-client.js';

t.test('what GITHUB_TOKEN requires of other settings', async (t) => {
  const cwd = t.testdir();
  const compose = (env: Record<string, string>) => () =>
    composeCore(loadConfig({ env, cwd, flags: {} }).config);
  const token = { GITHUB_TOKEN: CANARY };
  const says = (env: Record<string, string>, message: RegExp) =>
    t.throws(compose(env), { code: 'configuration', message });
  says(token, /GITHUB_TOKEN is set, but no repository is on GitHub\. Set REPOSITORY=owner\/name/);
  says(
    { ...token, REPOSITORY: SHOP.directory },
    /no repository is on GitHub\. Set REPOSITORY=owner\/name, or unset GITHUB_TOKEN/,
  );
  says(
    { REPOSITORY: NAME },
    /is a repository on GitHub, and GITHUB_TOKEN is not set. Set it or GITHUB_APP_ID/,
  );
  says({ GITHUB_PUBLISH_TOKEN: SECOND, REPOSITORY: NAME }, /GITHUB_TOKEN or GITHUB_APP_ID is needed too/);
  says({ GITHUB_PUBLISH_TOKEN: SECOND }, /or unset GITHUB_PUBLISH_TOKEN/);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(cwd, 'app.pem'), pem);
  const app = { GITHUB_APP_ID: '4711', GITHUB_APP_KEY: 'app.pem', REPOSITORY: NAME };
  says({ ...app, ...token }, /GITHUB_TOKEN and GITHUB_APP_ID are both set/);
  says({ GITHUB_APP_ID: '4711', REPOSITORY: NAME }, /belong together/);
  says({ ...app, GITHUB_APP_KEY: 'none.pem' }, /GITHUB_APP_KEY must be a PEM text or the path .*ENOENT/);
  says({ ...app, GITHUB_APP_KEY: '-----BEGIN PRIVATE KEY-----' }, /the private key that GitHub generated/);
  says({ ...app, REPOSITORY: SHOP.directory }, /or unset GITHUB_APP_ID/);
  for (const GITHUB_APP_KEY of ['app.pem', pem, pem.replaceAll('\n', '\\n')])
    t.doesNotThrow(compose({ ...app, GITHUB_APP_KEY }));
  const named = { ...token, REPOSITORY: NAME };
  says(
    { ...named, GITHUB_API_URL: 'http://ghe.example/api/v3' },
    /https:\/\/ because the token is sent there/,
  );
  says({ ...named, GITHUB_API_URL: 'https://ghe.example' }, /must end in \/api\/v3/);
  const ids = (env: Record<string, string>) =>
    compose(env)()
      .connectors('http://127.0.0.1')
      .map(({ id }) => id);
  t.strictSame(ids(named), ['storage', 'github', 'template'], 'instead of git and outbox');
  t.strictSame(ids({ ...named, GITHUB_API_URL: 'https://ghe.example/api/v3' }), [
    'storage',
    'github',
    'template',
  ]);
});

t.test('the tokens appear nowhere', async (t) => {
  const data = folder(t);
  const { double: github, env } = await double(t);
  const seen: string[] = [];
  const core = await startCoreChild({ data, env });
  t.teardown(() => core.child.kill('SIGKILL'));
  const feed = await openSocket(core.port, '/api/v1/live', {
    authorization: `Bearer ${JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')).reviewerToken}`,
  });
  seen.push(JSON.stringify(await feed.next()));
  const runId = await core.deliver(1, SHOP.head);
  github.fault({ kind: 'status', status: 401, path: '/' });
  seen.push(JSON.stringify(await approve(core, runId, 'gate1')));
  github.fault({ kind: 'reset-before', path: '/graphql' });
  seen.push(JSON.stringify(await approve(core, runId, 'gate1')));
  const analysed = await approve(core, runId, 'gate1');
  t.equal(analysed.status, 200, 'the third time it works', { text: analysed.text });
  github.fault({
    kind: 'status',
    status: 403,
    method: 'POST',
    path: '/issues',
    message: `Refused: ${SECOND}`,
  });
  seen.push(JSON.stringify(await approve(core, runId, 'gate2')));
  const published = await approve(core, runId, 'gate2');
  t.equal(published.status, 200, 'published', { text: published.text });
  for (const path of ['', '/history', '/draft', '/evidence']) {
    seen.push((await core.ask({ path: `/api/v1/runs/${runId}${path}` })).text);
  }
  for (const path of ['/api/v1/runs', '/metrics', '/readyz', '/openapi.json'])
    seen.push((await core.ask({ path })).text);
  seen.push(JSON.stringify(await feed.next()), JSON.stringify(github.issues(NAME)));
  const { config } = loadConfig({ env, cwd: data, flags: {} });
  seen.push(
    inspect(config, { depth: 9, showHidden: true }),
    JSON.stringify(config),
    String(config.githubToken),
  );
  await core.stop();
  seen.push(core.printed());
  t.ok(core.printed().length > 200, 'the log is not empty');
  t.ok(
    seen.some((text) => text.includes('[redacted]')),
    'tokens are redacted, also in text quoted by GitHub',
  );
  t.ok(!seen.join('\n').includes('CANARY'), 'no response, log line, feed message or dump');
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  t.ok(files.length > 3);
  for (const { parentPath, name } of files) {
    t.notOk(readFileSync(join(parentPath, name)).includes('CANARY'), `not on the disk: ${name}`);
  }
  t.equal(github.issues(NAME)[0]?.user, 'culprit-bot', 'the second token writes');
  const readers = github.requests.filter(({ user }) => user === 'reader');
  t.ok(readers.length > 3 && readers.every(({ path, method }) => method === 'GET' || path === '/graphql'));
});

t.test('GitHub reports that an issue was closed or fixed, and the run knows it', async (t) => {
  // GitHub shows a label by the name that it already has.
  const repositories = { [NAME]: { git: SHOP.directory, labels: ['Culprit'] } };
  const permissions = { ...WRITER.permissions, pull_requests: 'read' } as const;
  const tokens = { [CANARY]: READER, [SECOND]: { ...WRITER, permissions } };
  const { double: github, env } = await double(t, { repositories, tokens });
  const secret = 'a-webhook-secret-of-32-characters';
  const core = await startCoreChild({ data: folder(t), env: { ...env, GITHUB_WEBHOOK_SECRET: secret } });
  t.teardown(() => core.stop());
  github.sendEvents({ url: `http://127.0.0.1:${core.port}/webhook/github`, secret });
  const runId = await core.deliver(1, SHOP.head);
  await approve(core, runId, 'gate1');
  await approve(core, runId, 'gate2');
  t.equal(github.issues(NAME)[0]?.labels.includes('Culprit'), true);
  const { json: proof } = await core.ask({ path: `/api/v1/runs/${runId}/verification` });
  t.match(proof, { verified: true });
  const names = async () => {
    const { json } = await core.ask({ method: 'GET', path: `/api/v1/runs/${runId}/history` });
    return (json.entries as { name: string }[]).map(({ name }) => name);
  };
  const recorded = async (name: string) => {
    while ((await names()).at(-1) !== name) await new Promise(setImmediate);
    t.pass(name);
  };
  github.closeIssue(NAME, 1, 'not_planned');
  await recorded('issue.not_planned');
  github.reopenIssue(NAME, 1);
  await recorded('issue.open');
  const text = { title: 'Check the cart', body: `Resolves: #1, closes other/repository#1` };
  github.closeIssue(NAME, 1);
  await recorded('issue.completed');
  github.merge({ ...text, repository: NAME, commit: SHOP.head, closes: [1], closing: false });
  await recorded('fix.found');
  const { json: fixed } = await core.ask({ path: `/api/v1/runs/${runId}` });
  t.match(fixed.fix, { commit: SHOP.head, pull_request: { number: 2 }, missing_in: [], occurrences: 0 });
  github.deleteIssue(NAME, 1);
  await recorded('issue.deleted');

  const post = (headers: Record<string, string>, body: string) =>
    core.ask({ method: 'POST', path: '/webhook/github', headers: { authorization: '', ...headers }, body });
  const sign = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const body = JSON.stringify({ zen: 'Speak like a human.' });
  const signed = { 'x-hub-signature-256': sign(body) };
  t.equal(
    (await post({ 'x-github-event': 'ping', ...signed }, body)).status,
    202,
    'other events are accepted',
  );
  t.equal((await post({ 'x-github-event': 'issues', ...signed }, body)).status, 400);
  t.equal((await post({ 'x-github-event': 'pull_request', ...signed }, body)).status, 400);
  t.equal((await post({ 'x-github-event': 'ping' }, body)).status, 401, 'no signature');
  t.equal((await post({ 'x-github-event': 'ping', ...signed }, `${body} `)).status, 401, 'another body');
});

t.test('REGRESSION_ISSUES=reopen: the API shows the target, and the comment is published', async (t) => {
  const { double: github, env } = await double(t);
  const core = await startCoreChild({ data: folder(t), env: { ...env, REGRESSION_ISSUES: 'reopen' } });
  t.teardown(() => core.stop());
  const first = await core.deliver(1, SHOP.head);
  await approve(core, first, 'gate1');
  await approve(core, first, 'gate2');
  github.closeIssue(NAME, 1);
  const runId = await core.deliver(2, SHOP.head);
  t.not(runId, first);
  await approve(core, runId, 'gate1');
  const path = `/api/v1/runs/${runId}`;
  const { json: draft } = await core.ask({ path: `${path}/draft` });
  const reopens = { number: 1, url: `${github.url}/acme/shop/issues/1` };
  t.match(draft, { reopens, labels: [] });
  const body = JSON.stringify({ ...draft, body: 'It is back.' });
  const headers = { 'if-match': `"${draft.digest}"`, 'content-type': 'application/json' };
  const saved = await core.ask({ method: 'PUT', path: `${path}/draft`, headers, body });
  t.match(saved, { status: 200, json: { reopens, body: 'It is back.' } }, 'the whole draft may be sent back');
  const { json: preview } = await core.ask({ path: `${path}/draft/preview` });
  t.match(preview, { reopens });
  t.equal((await approve(core, runId, 'gate2')).status, 200);
  const comments = github.comments(NAME, 1);
  t.strictSame(
    comments.map((comment) => comment.body),
    [preview.body],
  );
  t.match(github.issues(NAME), [{ state: 'open' }]);
  const { json: run } = await core.ask({ path });
  const comment_url = `${reopens.url}#issuecomment-${comments[0]?.id}`;
  t.match(run, { publication: { number: 1, issue_url: reopens.url, comment_url, divergence: [] } });
  t.match((await core.ask({ path: `${path}/verification` })).json, { verified: true });
});
