import { execFileSync, spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type DoubleOptions, type DoubleToken, startGithubDouble } from '@culprit/doubles/github';
import t, { type Test } from 'tap';
import { removeFolder } from '../../../faults/lib/folders.mjs';
import { composeCore, loadConfig } from '../src/index.js';
import { crashingRepository } from './support/crashing-repository.js';
import { BIN, type CoreChild, startCoreChild } from './support/github-bench.js';
import { openSocket } from './support/websocket-client.js';

const CANARY = 'github_pat_CANARY11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz';
const SECOND = 'github_pat_CANARY22ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz';
const NAME = 'acme/shop';
const SHOP = crashingRepository(join(t.testdir(), 'shop'));
const READER: DoubleToken = { user: 'reader', permissions: { contents: 'read' } };
const WRITER: DoubleToken = { user: 'culprit-bot', permissions: { issues: 'write' } };

async function double(t: Test, options: Partial<DoubleOptions> = {}) {
  const started = await startGithubDouble({
    repositories: { [NAME]: { git: SHOP.directory } },
    tokens: { [CANARY]: READER, [SECOND]: WRITER },
    ...options,
  });
  t.teardown(() => started.close());
  const env = {
    GITHUB_TOKEN: CANARY,
    GITHUB_PUBLISH_TOKEN: SECOND,
    GITHUB_API_URL: started.url,
    REPOSITORY: NAME,
  };
  return { double: started, env };
}

function folder(t: Test): string {
  const data = join(t.testdir(), 'data');
  mkdirSync(data, { recursive: true });
  return data;
}

/** The output of `culprit doctor`. It runs in its own process, because this one serves the GitHub double. */
async function doctor(data: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [BIN, 'doctor', '--data', data], {
    cwd: data,
    env: { PATH: process.env.PATH, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, printed };
}

async function approve(core: CoreChild, runId: string, gate: 'gate1' | 'gate2') {
  return core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/${gate}/approve` });
}

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

t.test('doctor names the missing permission and its token', async (t) => {
  const none: DoubleToken = { user: 'nobody', permissions: {} };
  const cases: (readonly [string, Record<string, DoubleToken>, readonly RegExp[]])[] = [
    [
      'no problems',
      { [CANARY]: READER, [SECOND]: WRITER },
      [/^ok +github token /m, /^ok +github publish token/m, /^ok +github contents/m, /^ok +github issues/m],
    ],
    [
      'no permissions',
      { [CANARY]: none, [SECOND]: none },
      [/^FAIL +github contents .*Contents: read/m, /^FAIL +github issues .*Issues: write/m],
    ],
    [
      'may only list issues',
      { [CANARY]: READER, [SECOND]: { user: 'x', permissions: { issues: 'read' } } },
      [/^FAIL +github issues .*Issues: write/m],
    ],
    ['expired', { [CANARY]: { ...READER, expiresAt: 1 } }, [/^FAIL +github token .*set GITHUB_TOKEN/m]],
    ['second expired', { [CANARY]: READER }, [/^FAIL +github publish token .*set GITHUB_PUBLISH_TOKEN/m]],
  ];
  const soon = Date.now() + 3.5 * 24 * 60 * 60_000;
  const both = { [CANARY]: READER, [SECOND]: WRITER };
  const repository = (changes: object) => ({ repositories: { [NAME]: { git: SHOP.directory, ...changes } } });
  const repositories: Readonly<Record<string, Partial<DoubleOptions>>> = {
    archived: repository({ archived: true }),
    'issues off': repository({ issuesDisabled: true }),
  };
  cases.push(
    ['archived', both, [/^FAIL +github issues .*is archived, so it accepts no issues/m]],
    ['issues off', both, [/^FAIL +github issues .*Turn issues on in the settings/m]],
    [
      'no problems: expires soon, role, assignees',
      { [CANARY]: { ...READER, expiresAt: soon }, [SECOND]: { ...WRITER, role: 'read' } },
      [
        /^warn +github token .*reader; it expires in 3 days, at .* UTC\. Create a new token and set GITHUB_TOKEN/m,
        /^warn +github role .*READ in acme\/shop.*Give it the role triage/m,
        /^warn +github assignees .*cannot assign nobody-here in acme\/shop/m,
      ],
    ],
  );
  for (const [name, tokens, wanted] of cases) {
    const { double: github, env } = await double(t, { tokens, ...repositories[name] });
    const data = folder(t);
    const assignees = name.endsWith('assignees') ? ['Reader', 'nobody-here'] : [];
    const projects = { default: { repository: NAME, assignees } };
    writeFileSync(join(data, 'culprit.json'), JSON.stringify({ projects }), { mode: 0o600 });
    const { code, printed } = await doctor(data, env);
    t.equal(code, name.startsWith('no problems') ? 0 : 1, name, { printed });
    for (const pattern of wanted) t.match(printed, pattern, name);
    t.notMatch(printed, /CANARY/);
    t.equal(github.issues(NAME).length, 0, 'and writes nothing');
  }
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

t.test(
  'a typical incident costs four GraphQL requests and at most 25 diffs; after a restart only what was not stored',
  async (t) => {
    const data = folder(t);
    const shop = crashingRepository(join(t.testdirName, 'long'));
    const git = (args: readonly string[], input = '') =>
      execFileSync('git', ['-C', shop.directory, ...args], { input, encoding: 'utf8' }).trim();
    git(['fast-import', '--quiet'], longHistory(git(['rev-parse', 'HEAD'])));
    const head = git(['rev-parse', 'HEAD']);
    const { double: github, env } = await double(t, { repositories: { [NAME]: { git: shop.directory } } });
    let core = await startCoreChild({ data, env });
    t.teardown(() => core.child.kill('SIGKILL'));
    const runId = await core.deliver(1, head);
    const cost = async () => {
      const before = github.requests.length;
      const { status, text } = await approve(core, runId, 'gate1');
      t.equal(status, 200, text);
      const asked = github.requests.slice(before).map(({ path }) => path);
      const diffs = asked.filter((path) => /^\/repos\/acme\/shop\/commits\/[0-9a-f]{40}$/.test(path)).length;
      return { graphql: asked.filter((path) => path === '/graphql').length, diffs };
    };
    const first = await cost();
    t.equal(first.graphql, 4, 'the revision, its release, blame, commits');
    t.ok(first.diffs > 3 && first.diffs <= 25, `${first.diffs} diffs`);
    const { json } = await core.ask({ path: `/api/v1/runs/${runId}` });
    t.equal(json.suspects[0].sha, shop.culprit);
    const again = await core.ask({
      method: 'POST',
      path: `/api/v1/runs/${runId}/gate2/reject`,
      body: { reason: 'once more', to: 'staged_raw' },
      headers: { 'content-type': 'application/json' },
    });
    t.equal(again.status, 200, again.text);
    await core.stop();
    core = await startCoreChild({ data, env });
    t.strictSame(await cost(), first, 'without a shared cache, answers end with the process');
    await core.stop();
  },
);

/** 120 commits after `from` for `git fast-import`; every fourth changes a file. */
function longHistory(from: string): string {
  const person = 'Ada <ada@example.org> 1791626400 +0000';
  const notes: string[] = [
    "import { total } from './cart.js';",
    'export const pay = (cart) => total(cart.items);',
  ];
  const commits = Array.from({ length: 120 }, (_, at) => {
    const message = `chore: note ${at}`;
    const head = `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n${message}\n`;
    const parent = at === 0 ? `from ${from}\n` : '';
    if (at % 4 > 0) return head + parent;
    notes.push(`// note ${at}`);
    const file = `${notes.join('\n')}\n`;
    return `${head}${parent}M 100644 inline src/checkout.js\ndata ${file.length}\n${file}\n`;
  });
  return commits.join('\n');
}

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

t.test('a restored old backup never publishes again what is already published', async (t) => {
  const data = folder(t);
  const { double: github, env } = await double(t);
  const backup = (name: string) => join(t.testdirName, name);
  let core = await startCoreChild({ data, env });
  t.teardown(() => core.child.kill('SIGKILL'));
  /** Stops core, keeps a copy, starts it again. */
  const keep = async (name: string) => {
    await core.stop();
    cpSync(data, backup(name), { recursive: true });
    core = await startCoreChild({ data, env });
  };
  await keep('before staging');
  const runId = await core.deliver(1, SHOP.head);
  await keep('before Gate 1');
  t.equal((await approve(core, runId, 'gate1')).status, 200);
  await keep('after Gate 1');
  const first = await approve(core, runId, 'gate2');
  t.match(first, { status: 200, json: { status: 'published', issue_url: /\/issues\/1$/ } });
  await core.stop();

  const day = 24 * 60 * 60_000;
  for (const [name, days] of [
    ['after Gate 1', 0],
    ['before Gate 1', 100],
    ['before staging', 100],
  ] as const) {
    await removeFolder(data);
    cpSync(backup(name), data, { recursive: true });
    core = await startCoreChild({ data, env, aheadMs: days * day });
    const run = name === 'before staging' ? await core.deliver(1, SHOP.head) : runId;
    if (name !== 'after Gate 1') t.equal((await approve(core, run, 'gate1')).status, 200);
    const again = await approve(core, run, 'gate2');
    t.strictSame(again.json, first.json, `${name}, ${days} days later: the same issue`, { text: again.text });
    t.equal(github.issues(NAME).length, 1);
    await core.stop();
  }
});
