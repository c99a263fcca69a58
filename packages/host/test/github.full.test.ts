import { execFileSync, spawn } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DoubleOptions, DoubleToken } from '@culprit/doubles/github';
import t from 'tap';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { crashingRepository } from './support/crashing-repository.js';
import { BIN, startCoreChild } from './support/github-bench.js';
import { approve, CANARY, double, folder, NAME, READER, SECOND, SHOP, WRITER } from './support/github-kit.js';

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
