import { execFile, execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Connector } from '@culprit/core';
import type { CodeHost } from '@culprit/core/connector';
import t from 'tap';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';
import { type CoreBench, coreBench, TOKEN } from './support/core-bench.js';
import { type CrashingRepository, cartCrash } from './support/crashing-repository.js';
import { culprit } from './support/run-culprit.js';

const { getPath } = createRequire(import.meta.url)('@sentry/cli') as { getPath(): string };
const run = promisify(execFile);
const ADA = { name: 'ada', via: 'api' } as const;

/** The real program, in a checkout. */
function sentryCli(url: string, cwd: string, more: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    SENTRY_URL: url,
    SENTRY_AUTH_TOKEN: TOKEN,
    SENTRY_ORG: 'culprit',
    SENTRY_PROJECT: 'default',
    SENTRY_DISABLE_UPDATE_CHECK: '1',
    ...more,
  };
  return async (...args: readonly string[]) =>
    run(getPath(), args, { cwd, env }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        text: stdout + stderr,
      }),
    );
}

function firstCommit({ directory }: CrashingRepository): string {
  const args = ['rev-list', '--max-parents=0', 'HEAD'];
  return execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
}

/** Approves Gate 1 of a crash of the release in production. */
async function analysed({ engine }: CoreBench, id: string, release: string) {
  const crash = { ...cartCrash(id, 'x'), release, environment: 'production', fingerprint: [id] };
  const { run_id } = await engine.ingest({ crash });
  await engine.approveGateOne(run_id ?? '', ADA);
  return engine.run(run_id ?? '');
}

t.test('the real sentry-cli records releases, commits and deploys, and drafts name them', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const { api, core, repository, bare } = bench;
  const cli = sentryCli(core.url, repository.directory);
  const says = async (pattern: RegExp, ...args: readonly string[]) => {
    const { code, text } = await cli(...args);
    t.equal(code, 0, `${args.join(' ')}: ${text}`);
    t.match(text, pattern, args.join(' '));
  };
  await says(/ada/, 'info');
  await says(/default/, 'projects', 'list');
  await says(/Created release shop@2\.4\.0/, 'releases', 'new', 'shop@2.4.0');
  const set = await bare({
    method: 'PUT',
    path: '/api/0/organizations/culprit/releases/shop@2.4.0/',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ commits: [{ id: firstCommit(repository), message: 'feat: carts have totals' }] }),
  });
  t.match(set, { status: 200, json: { lastCommit: { id: firstCommit(repository) } } });
  await says(/Created release/, 'releases', 'new', 'shop@2.4.1', '--url', 'https://ci.example/41');
  // A local repository is none of Sentry's integrations, so the program sends the commits since the last release.
  await says(/Set commits for release shop@2\.4\.1/, 'releases', 'set-commits', 'shop@2.4.1', '--auto');
  await says(/Finalized release/, 'releases', 'finalize', 'shop@2.4.1');
  const deploy = ['deploys', 'new', '--release', 'shop@2.4.1', '-e', 'production', '-n', 'blue'];
  await says(/Created new deploy blue for 'production'/, ...deploy);
  await says(/production.*blue/, 'deploys', 'list', '--release', 'shop@2.4.1');
  await says(/shop@2\.4\.1[\s\S]*shop@2\.4\.0/, 'releases', 'list');
  await says(/default/, 'releases', 'info', 'shop@2.4.1', '--show-commits', '--show-projects');

  const found = await analysed(bench, 'after-the-deploy', 'shop@2.4.1');
  t.match(found.release_window, { version: 'shop@2.4.1', commits: 2, deploy: { environment: 'production' } });
  t.match(found.revision, { sha: repository.head, how: 'release' });
  t.equal(found.suspects[0]?.sha, repository.culprit);
  t.match(
    found.draft?.body,
    /after the deploy of release `shop@2\.4\.1` to `production`, which brought 2 commits/,
  );
  t.match(found.draft?.body, /is one of the 2 commits that release `shop@2\.4\.1` brought/);
  const { json } = await api({ path: '/api/v1/releases?limit=1' });
  t.match(json, {
    total: 2,
    releases: [
      {
        version: 'shop@2.4.1',
        release: { commits: 2, finalised_at: String, url: 'https://ci.example/41' },
        counts: { crashes: 1, new_runs: 1, regressed_runs: 0, hour_share: 1, day_share: 1 },
      },
    ],
  });
  const second = await api({ path: `/api/v1/releases?limit=1&cursor=${(json as { next: string }).next}` });
  t.match(second.json, { releases: [{ version: 'shop@2.4.0', counts: null }], next: null });

  await says(/Archived release/, 'releases', 'archive', 'shop@2.4.0');
  await says(/Restored release/, 'releases', 'restore', 'shop@2.4.0');
  await says(/Deleted release/, 'releases', 'delete', 'shop@2.4.0');
  t.match(await cli('releases', 'info', 'shop@2.4.0'), { code: 1 });
});

t.test('the program is told what is wrong, and nothing else is answered', async (t) => {
  const { core, repository, api, bare, close } = await coreBench();
  t.teardown(close);
  const wrong = sentryCli(core.url, repository.directory, { SENTRY_AUTH_TOKEN: 'nobody-000000000000000000' });
  t.match(await wrong('releases', 'new', '1.0.0'), { code: 1, text: /Unknown/ });
  const cli = sentryCli(core.url, repository.directory);
  await cli('releases', 'new', '1.0.0');
  t.match(await cli('deploys', 'new', '--release', '1.0.0', '-e', ' '), {
    code: 1,
    text: /"environment" must be a name of at most 64 characters/,
  });
  const other = sentryCli(core.url, repository.directory, { SENTRY_PROJECT: 'nothing' });
  t.match(await other('releases', 'new', '1.0.0'), { code: 1, text: /Project not found/ });
  const refs = { refs: [{ repository: 'acme/other', commit: repository.head }] };
  const refused = await api({
    method: 'PUT',
    path: '/api/0/organizations/culprit/releases/1.0.0/',
    body: JSON.stringify(refs),
  });
  t.equal(refused.status, 400);
  t.same(Object.keys(refused.json as object), ['detail']);
  const often = await api({
    method: 'POST',
    path: '/api/0/organizations/culprit/releases/',
    body: JSON.stringify({ version: '1.0.0', projects: ['default', 'default'] }),
  });
  t.match(often, { status: 208, json: { projects: [{ slug: 'default' }] } }, 'each project once');
  t.equal((often.json as { projects: unknown[] }).projects.length, 1);
  for (const path of ['organizations/culprit/teams/', 'nothing', 'organizations/..%2f/releases/']) {
    const { status, json } = await api({ path: `/api/0/${path}` });
    t.equal(status, 404, path);
    t.same(Object.keys(json as object), ['detail'], path);
  }
  t.equal((await bare({ path: '/api/0/organizations/culprit/releases/' })).status, 401);
});

/** A project on GitHub, read from the local repository. */
function onGithub(repository: () => CrashingRepository) {
  return (real: readonly Connector[]): readonly Connector[] => [
    ...real.map(
      ({ id, setup }): Connector => ({
        id,
        async setup(context) {
          const { codeHost, ...parts } = await setup(context);
          return codeHost === undefined ? parts : { ...parts, codeHost: readingFrom(codeHost, repository) };
        },
      }),
    ),
  ];
}

function readingFrom(host: CodeHost, repository: () => CrashingRepository): CodeHost {
  const at = () => repository().directory;
  const { ancestry } = host;
  return {
    tree: (_name, ...rest) => host.tree(at(), ...rest),
    blame: (_name, ...rest) => host.blame(at(), ...rest),
    commits: (_name, ...rest) => host.commits(at(), ...rest),
    diff: (_name, ...rest) => host.diff(at(), ...rest),
    ...(ancestry?.range === undefined
      ? {}
      : {
          ancestry: {
            contains: (_name, ...rest) => ancestry.contains(at(), ...rest),
            range: async (_name, ...rest) => (await ancestry.range?.(at(), ...rest)) ?? null,
          },
        }),
  };
}

t.test('with a repository on GitHub the program sends one commit, and core finds the range', async (t) => {
  let repository: CrashingRepository | null = null;
  const bench = await coreBench({
    namedRepository: 'acme/shop',
    change: onGithub(() => repository as CrashingRepository),
  });
  t.teardown(bench.close);
  repository = bench.repository;
  const { directory } = repository;
  execFileSync('git', ['remote', 'add', 'origin', 'git@github.com:acme/shop.git'], { cwd: directory });
  const cli = sentryCli(bench.core.url, directory);
  t.match(await cli('repos', 'list'), { code: 0, text: /acme\/shop/ });
  await cli('releases', 'new', '2.4.0');
  const first = await cli(
    'releases',
    'set-commits',
    '2.4.0',
    '--commit',
    `acme/shop@${firstCommit(repository)}`,
  );
  t.equal(first.code, 0, first.text);
  await cli('releases', 'new', '2.4.1');
  const auto = await cli('releases', 'set-commits', '2.4.1', '--auto');
  t.equal(auto.code, 0, auto.text);
  t.match(await bench.engine.releases.find('default', '2.4.1'), {
    commit: repository.head,
    previous_commit: firstCommit(repository),
    commits: 2,
  });
});

t.test('culprit releases records and shows what the API has', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const { repository, core } = bench;
  const env = { CULPRIT_URL: core.url, CULPRIT_TOKEN: TOKEN, NO_COLOR: '1' };
  const says = async (pattern: RegExp, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await culprit(['releases', ...args], { env });
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    t.match(stdout, pattern, args.join(' '));
  };
  await says(/No releases/);
  await says(/1\.0\.0 of default is recorded at/, 'new', '1.0.0', '--commit', firstCommit(repository));
  await says(/recorded/, 'new', '1.1.0', '--finalize', '--release-url', 'https://ci.example/1');
  await says(/It brought 2 commits/, 'set-commits', '1.1.0', '--commit', repository.head);
  await says(/Deployed 1\.1\.0 to production at/, 'deploy', '1.1.0', 'production');
  const { run_id } = await analysed(bench, 'by-the-command-line', '1.1.0');
  await says(/1\.1\.0 +production +1 +0 +1 +100 % +2\n/);
  await says(/brought +2 commits[\s\S]*docs: a readme/, 'show', '1.1.0');
  const shown = await culprit(['runs', 'show', run_id], { env });
  t.match(shown.stdout, /1\.1\.0 to production, .+ before the first crash; it brought 2 commits/);
  t.match(
    shown.stdout,
    /unrated +no probability: Culprit’s accuracy was measured only in /,
    'once, as in the draft: the repository has too few commits for a measured one',
  );
  const refused = (...args: readonly string[]) => culprit(['releases', ...args], { env });
  t.match(await refused('new', '9.9.9', '--commit', 'nosuchtag'), {
    code: 2,
    stderr: /"nosuchtag" is unknown: the repository has no such tag or commit\. Push it first/,
  });
  t.match(await refused('show', '9.9.9'), { code: 3 }, 'and nothing is recorded');
  for (const [verb = '', ...flags] of [
    ['finalize'],
    ['archive'],
    ['restore'],
    ['set-commits', '--commit', 'v1'],
  ])
    t.match(
      await refused(verb, '1.1.O', ...flags),
      { code: 3, stderr: /no release "1\.1\.O"\. Record it/ },
      verb,
    );
  t.match(await refused('show', '1.1.O'), { code: 3 }, 'a mistyped release is not recorded');
  await says(/1\.1\.0 of default is recorded/, 'finalize', '1.1.0');
  t.match(await refused('new', '..'), { code: 2, stderr: /"version" must not be empty, "\." or "\.\."/ });
  await says(/recorded/, 'archive', '1.0.0');
  await says(/Forgotten/, 'delete', '1.0.0');
  t.match(await culprit(['releases', 'show', '1.0.0'], { env }), { code: 3 });
  t.match(await culprit(['releases', 'set-commits', '1.1.0'], { env }), { code: 2 });
});

t.test(
  'the board: releases, one of them, its runs and the way back, by keyboard',
  { skip: CHROMIUM === undefined && 'needs Chromium' },
  async (t) => {
    const bench = await boardBench(t, { moreProjects: ['shop'] });
    const { releases } = bench.engine;
    const hostile = '<b>2.0.0</b> ](javascript:alert(1))';
    await releases.record('default', '1.9.0');
    await releases.setCommits('default', '1.9.0', { commit: firstCommit(bench.repository) });
    await releases.record('default', 'shop@2.4.1', { url: 'https://ci.example/41' });
    await releases.setCommits('default', 'shop@2.4.1', { commit: bench.repository.head });
    await releases.deploy('default', 'shop@2.4.1', { environment: 'production', name: 'blue' });
    await releases.record('shop', hostile);
    const { run_id } = await analysed(bench, 'on-the-board', 'shop@2.4.1');
    const { page, problems } = await visit(t, bench.core.url);
    await signIn(page);
    await page.getByRole('link', { name: 'Releases' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Releases' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'shop@2.4.1' });
    const figures = (await row.getByRole('cell').allTextContents()).slice(2);
    t.same(figures, ['production', '1', '0', '1', '100 %', '2'], 'deployed, new, regressed, crashes, …');
    t.equal(await page.getByRole('link', { name: hostile }).count(), 1, 'text stays text');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      t.same(await axe(page), [], colorScheme);
    }
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      t.ok((await overflow(page)) <= 0, `${width} px`);
    }
    await page.getByLabel('Project').selectOption('shop');
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Project').selectOption('');
    await row.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop@2.4.1' }).waitFor();
    await page.getByText('docs: a readme').waitFor();
    await page.getByText('production, blue').waitFor();
    t.same(await axe(page), []);
    t.ok((await overflow(page)) <= 0, 'at 390 px');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: /Cannot read properties/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/before the first crash/).waitFor();
    t.match(page.url(), run_id);
    t.equal(await page.locator('.facts').getByRole('link', { name: 'shop@2.4.1' }).count(), 1);
    t.same(problems, []);
  },
);
