import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CodeHost, CulpritError, RevisionHints } from '@culprit/core/connector';
import type { Frame } from '@culprit/core/internal/domain/event';
import { locateFrames } from '@culprit/core/internal/pipeline/locate/locate-frames';
import { namedPaths } from '@culprit/core/internal/pipeline/locate/named-paths';
import { indexTree } from '@culprit/core/internal/pipeline/locate/tree-index';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { codeHostContract, sampleHistory } from '@culprit/core/testing';
import { Keyv } from 'keyv';
import t from 'tap';
import { createMirrors } from '../../src/git/index.js';
import { linkTemplates, webUrl } from '../../src/github/config.js';
import { github } from '../../src/github/index.js';
import { openCache } from '../../src/shared/open-cache.js';
import { gitHost, context as offline, signal } from '../git/support/context.js';
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

/** The frames of a stack, crash last. */
function stackOf(files: readonly string[]): readonly Frame[] {
  const place = { abs_path: null, module: null, package: null, function: 'f', line: 1, column: null };
  const rest = { in_app: true, platform: null, context_line: null, pre_context: [], post_context: [] };
  return files.map((file) => ({ file, ...place, ...rest, vars: null, instruction_addr: null }));
}

for (const [where, enterprise] of [
  ['GitHub', false],
  ['Enterprise', true],
] as const) {
  t.test(`fulfils the code host contract on ${where}`, async (t) => {
    const { codeHost } = await bench(t, FULL, { enterprise }, { mirror: { directory: t.testdir() } });
    const subject = {
      codeHost,
      repository: REPOSITORY,
      unknownRepository: 'acme/nowhere',
      history: sampleHistory,
    };
    for (const law of codeHostContract) await t.test(law.name, () => law.run(async () => subject));
  });
}

t.test('copies: none of a large repository or without permission; unused ones are deleted', async (t) => {
  const directory = t.testdir();
  const mirror = { directory, maxMb: 5, maxDays: 2, buildGraphs: false };
  const repositories = {
    [REPOSITORY]: { git: SHOP },
    'acme/large': { git: SHOP, megabytes: 6 },
    'acme/other': { git: SHOP, renamedTo: 'acme/new' },
    'acme/new': { git: SHOP },
  };
  const { codeHost, double } = await bench(t, FULL, { repositories }, { mirror });
  const lines = async (repository: string, host = codeHost) => {
    const found = host.questions?.lines(repository, HEAD, 'README.md', signal);
    return found?.catch((error: CulpritError) => `${error.code} ${error.reason}: ${error.message}`);
  };
  t.same(await lines(REPOSITORY), ['# Shop']);
  t.match(await lines('acme/large'), /code_host_unavailable not_copied: .* larger than 5 MB/);
  const sent = double.requests.length;
  t.match(await lines('acme/large'), /not_copied/);
  t.equal(double.requests.length, sent, 'a failure is remembered');
  t.match(await lines('acme/none'), /repository_not_found not_copied/);

  const [server = ''] = readdirSync(directory);
  const copies = () => readdirSync(join(directory, server)).filter((name) => name.endsWith('.git'));
  t.same(copies(), ['acme+shop.git']);
  const copy = join(directory, server, 'acme+shop.git');
  t.notMatch(readFileSync(join(copy, 'config'), 'utf8'), TOKEN);
  const old = new Date(Date.now() - 3 * 86_400_000);
  utimesSync(copy, old, old);
  t.same(await lines('acme/other'), ['# Shop'], 'a renamed repository is found');
  t.same(copies(), ['acme+other.git']);

  const blind = await bench(t, { ...FULL, permissions: { metadata: 'read' } }, {}, { mirror });
  t.match(await lines(REPOSITORY, blind.codeHost), /code_host_forbidden not_copied/);
});

t.test('a fetch that grows too large, or never ends, is stopped', async (t) => {
  const folder = t.testdir();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const slow = join(folder, 'git');
  const grows =
    'for d in *.new; do head -c 2000000 /dev/zero > "$d/objects/pack/tmp_pack_1"; done; sleep 600';
  writeFileSync(slow, `#!/bin/sh\ncase "$*" in *" fetch "*) ${grows};; *) exec '${real}' "$@";; esac\n`);
  chmodSync(slow, 0o755);
  const directory = join(folder, 'mirrors');
  const mirrors = createMirrors({ directory, timeoutMs: 60_000, maxMb: 1, gitBinary: slow });
  const source = async () =>
    ({
      url: 'https://x.example/a/b.git',
      authorization: 'Basic eA==',
      branch: 'main',
      format: 'sha1',
    }) as const;
  await t.rejects(mirrors.fetch('a/b', source, signal), {
    reason: 'not_copied',
    message: /larger than 1 MB/,
  });
  t.same(readdirSync(directory), [], 'nothing is left of it');
  await mirrors.close();

  const idle = join(folder, 'idle');
  writeFileSync(idle, `#!/bin/sh\ncase "$*" in *" fetch "*) exit 0;; *) exec '${real}' "$@";; esac\n`);
  chmodSync(idle, 0o755);
  const kept = createMirrors({ directory, timeoutMs: 60_000, maxMb: 1, gitBinary: idle });
  t.teardown(() => kept.close());
  await kept.fetch('a/b', source, signal);
  const old = new Date(Date.now() - 120_000);
  const left = join(kept.pathOf('a/b'), 'objects/pack/tmp_pack_1');
  writeFileSync(left, Buffer.alloc(2_000_000));
  // It may be of another process.
  await t.rejects(kept.fetch('a/b', source, signal), { message: /larger than 1 MB/ });
  utimesSync(left, old, old);
  await kept.fetch('a/b', source, signal);
  t.notOk(existsSync(left), 'what a killed fetch left counts no more');
  const age = () => Math.round(Date.now() - statSync(kept.pathOf('a/b')).mtimeMs);
  utimesSync(kept.pathOf('a/b'), old, old);
  t.equal(await kept.exists('a/b'), true);
  t.ok(age() >= 120_000, 'no use');
  await kept.used('a/b');
  t.ok(age() < 60_000);
});

t.test('a typical incident costs three GraphQL queries, then none', async (t) => {
  const { double, codeHost } = await bench(t);
  const incident = async () => {
    const tree = await codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal);
    const blame = await codeHost.blame(REPOSITORY, tree.revision.sha, tree.paths.slice(0, 8), signal);
    const shas = [...new Set(blame.files.flatMap(({ ranges }) => ranges.map(({ sha }) => sha)))];
    await codeHost.commits(REPOSITORY, shas, signal);
    for (const sha of shas.slice(0, 10)) await codeHost.diff(REPOSITORY, sha, signal);
  };
  await incident();
  const graphql = double.requests.filter(({ path }) => path === '/graphql').length;
  t.equal(graphql, 3, 'the revision, blame, commits');
  t.ok(double.requests.filter(({ path }) => /\/commits\/[0-9a-f]{40}$/.test(path)).length <= 12);
  const before = double.requests.length;
  await incident();
  t.equal(double.requests.length, before, 'a revision that is in the repository stays in it');
});

t.test('a commit of a fork is not blamed; one of any branch or tag is', async (t) => {
  const folder = join(t.testdir(), 'forked');
  const repository = makeRepository(folder);
  const first = repository.commit({ 'a.js': 'one\n' });
  const commitOn = (start: string, text: string) => {
    repository.git('checkout', '-q', '--detach', start);
    return repository.commit({ 'a.js': text });
  };
  const fork = commitOn(first, 'from a fork\n');
  const ahead = commitOn(fork, 'ahead of the fork\n');
  const branch = commitOn(first, 'on a branch\n');
  const tagged = commitOn(first, 'tagged\n');
  repository.git('checkout', '-q', 'main');
  repository.git('update-ref', 'refs/forks/mallory/main', ahead);
  for (let n = 0; n < 60; n++) repository.git('branch', `a-${n}`, first);
  repository.git('branch', 'release', branch);
  repository.git('-c', 'user.name=T', '-c', 'user.email=t@x', 'tag', '-a', '-m', 'x', 'v1', tagged);
  const { codeHost, double, restart } = await bench(t, FULL, {
    repositories: { [REPOSITORY]: { git: folder } },
  });
  const tree = (hints: Partial<RevisionHints>, host = codeHost) =>
    host.tree(REPOSITORY, { ...NO_HINTS, ...hints }, signal);
  const foreign = (sha: string) => ({
    code: 'revision_foreign',
    message: new RegExp(`No branch or tag of acme/shop contains commit ${sha}`),
  });
  t.match(await failure(tree({ commit: fork })), foreign(fork));
  t.match(await failure(tree({ commit: ahead.slice(0, 10) })), foreign(ahead));
  t.match(await failure(tree({ release: `shop@${ahead}` })), foreign(ahead));
  for (const sha of [first, branch, tagged])
    t.match(await tree({ commit: sha }), { revision: { sha, how: 'explicit' } });
  t.match(await tree({ release: 'v1' }), { revision: { sha: tagged, how: 'tag' } });
  t.match(await tree({ commit: 'f'.repeat(40), release: '1' }), { revision: { sha: tagged, how: 'tag' } });

  const { codeHost: fresh } = await restart();
  double.fault({ path: '/graphql', kind: 'graphql-resource-limits' });
  t.match(await failure(tree({ commit: branch }, fresh)), { code: 'code_host_unavailable' }, 'no falsehood');
  const asked = () => double.requests.filter(({ path }) => path === '/graphql').length;
  const before = asked();
  await tree({ commit: first, release: 'shop@2.0.0' }, fresh);
  t.equal(asked() - before, 1, 'commit, seven forms of the tag, head and reachability in one query');
  t.equal(double.requests.filter(({ path }) => path.includes('/git/ref')).length, 0);
});

t.test('releases: tags, releases by name and deployments name the revision and the one before', async (t) => {
  const folder = join(t.testdir(), 'released');
  const repository = makeRepository(folder);
  const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}T00:00:00Z`;
  const commitAt = (n: number) => repository.commit({ a: `${n}\n` }, { at: day(n) });
  const shas = ['v1.9.0', 'web@2.0.0', 'v1.10.0', '', 'nightly-77'].map((tag, index) => {
    const sha = commitAt(index + 1);
    if (tag !== '') repository.git('tag', tag, sha);
    return sha;
  });
  repository.git('checkout', '-q', '--detach', shas[0] ?? '');
  repository.git('tag', 'v1.9.1', commitAt(20));
  repository.git('checkout', '-q', 'main');
  const [first = '', , second = '', untagged = '', nightly = ''] = shas;
  const deployed = (n: number, sha: string, more: object = {}) => ({
    sha,
    environment: 'production',
    createdAt: Date.parse(day(n)),
    ...more,
  });
  const settings = {
    git: folder,
    releases: [
      { name: 'Build 3.0.0', tag: 'v1.9.0' },
      { name: '3.0.0', tag: 'nightly-77' },
    ],
    deployments: [
      deployed(6, second),
      deployed(7, first, { environment: 'staging' }),
      deployed(8, nightly, { state: 'FAILURE' }),
      deployed(9, untagged, {
        payload: JSON.stringify(JSON.stringify({ version: '4.0.0' })),
        state: 'ACTIVE',
      }),
    ],
  } as const;
  const permissions = { ...FULL.permissions, deployments: 'read' } as const;
  const options = { repositories: { [REPOSITORY]: { ...settings } } };
  const { codeHost, double, restart } = await bench(t, { ...FULL, permissions }, options);
  const tree = async (release: string, host = codeHost) => {
    const { revision, previous_release } = await host.tree(REPOSITORY, { ...NO_HINTS, release }, signal);
    return [revision.sha, revision.how, previous_release?.tag ?? null];
  };
  t.same(await tree('1.10.0'), [second, 'tag', 'v1.9.0'], 'v1.9.1 is newer, and not contained');
  t.same(await tree('1.9.0'), [first, 'tag', null], 'nothing before');
  t.same(await tree('web@2.0.0'), [shas[1], 'tag', null], 'no earlier tag with that prefix');
  t.same(await tree('3.0.0'), [nightly, 'tag', null], 'the name of a GitHub release');
  t.same(await tree('shop@4.0.0'), [untagged, 'release', 'production'], 'a deployment, and the one before');
  t.same(await tree(untagged), [untagged, 'release', 'production'], 'the release is the commit');
  t.same(await tree('99.0.0'), [nightly, 'head', null]);
  const before = double.requests.length;
  await tree('1.10.0');
  t.equal(double.requests.length - before, 1, 'kept, but for the tag itself');

  const { codeHost: git } = { codeHost: await gitHost() };
  for (const release of ['1.10.0', '1.9.0', 'web@2.0.0'])
    t.same(
      (await codeHost.tree(REPOSITORY, { ...NO_HINTS, release }, signal)).previous_release,
      (await git.tree(folder, { ...NO_HINTS, release }, signal)).previous_release,
      `${release} as on local git`,
    );

  const without = await bench(t, FULL, options);
  t.same(await tree('1.10.0', without.codeHost), [second, 'tag', 'v1.9.0']);
  t.same(await tree('4.0.0', without.codeHost), [nightly, 'head', null], 'deployments are not shown');
  const { codeHost: fresh } = await restart();
  double.fault({ path: '/graphql', kind: 'slow', ms: 1 });
  double.fault({ path: '/graphql', kind: 'graphql-unknown-error' });
  t.same(await tree('1.10.0', fresh), [second, 'tag', null], 'a failure costs one feature of the ranking');
});

t.test('a repository that GitHub does not list whole: the folders of the stack are read', async (t) => {
  const folder = join(t.testdir(), 'large');
  makeRepository(folder);
  const filler = 'long-name-'.repeat(22);
  const files = [
    ...Array.from({ length: 26_000 }, (_, file) => `aa/${file % 26}/${filler}${file}.js`),
    'zz/shop/src/cart.ts',
    'zz/shop/src/deep/other.ts',
    'zz/java/com/acme/Cart.java',
    'zzz.js',
  ];
  const lines = files.map((path) => `M 100644 :1 ${path}\n`).join('');
  const input = `blob\nmark :1\ndata 2\nx\ncommit refs/heads/main\ncommitter T <t@x> 1700000000 +0000\ndata 1\nm\n${lines}`;
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input });
  const { double, restart } = await bench(t, FULL, {
    repositories: { [REPOSITORY]: { git: folder } },
  });
  const frames = stackOf([
    '/srv/app/zz/shop/dist/cart.js',
    'https://shop.example/assets/zzz.js',
    '/srv/app/no/such/folder.js',
    'com/acme/Cart.java',
  ]);
  const mappings = [{ stack_root: 'com/', source_root: 'zz/java/com/' }];
  const paths = namedPaths(frames, 'node', mappings);
  const cache = new Keyv();
  const before = double.requests.length;
  const { codeHost: host } = await restart({ cache });
  const tree = await host.tree(REPOSITORY, { ...NO_HINTS, paths }, signal);
  t.equal(double.requests.length - before, 4, 'the revision, the list, the root, all folders');
  t.equal(tree.truncated, true);
  t.equal(tree.paths.includes('zz/shop/src/deep/other.ts'), false, 'a folder that no frame needs');
  t.same(
    locateFrames(frames, 'node', mappings, indexTree(tree.paths)).map(({ path }) => path),
    ['zz/java/com/acme/Cart.java', 'zzz.js', 'zz/shop/src/cart.ts'],
  );
  const asked = double.requests.length;
  const again = await (await restart({ cache })).codeHost.tree(REPOSITORY, { ...NO_HINTS, paths }, signal);
  t.same(again.paths, tree.paths);
  t.equal(double.requests.length - asked, 2, 'the folders are stored');
  const { paths: listed } = await host.tree(REPOSITORY, NO_HINTS, signal);
  t.equal(listed.includes('zzz.js'), true, 'without a stack, the root is read');
  double.fault({ path: '/graphql', kind: 'graphql-unknown-error', times: 2 });
  t.match(await failure((await restart()).codeHost.tree(REPOSITORY, { ...NO_HINTS, paths }, signal)), {
    code: 'code_host_unavailable',
  });
});

t.test('queries that are too large are split; a failed file affects no other', async (t) => {
  const { double, codeHost } = await bench(t, FULL, { blameFilesAtOnce: 2 });
  const { paths } = await codeHost.tree(REPOSITORY, NO_HINTS, signal);
  const blame = await codeHost.blame(REPOSITORY, HEAD, paths, signal);
  t.ok(blame.files.every(({ status }) => status === 'ok' || status === 'skipped'));
  t.ok(blame.recent.length > 0);
  double.fault({ path: '/graphql', kind: 'graphql-resource-limits' });
  double.fault({ path: '/graphql', kind: 'status', status: 502, times: 2 });
  const other = sampleHistory.make.at(-2)?.sha ?? '';
  const again = await codeHost.blame(REPOSITORY, other, paths.slice(0, 2), signal);
  t.ok(
    again.files.every(({ status }) => status === 'failed'),
    'reported in the file’s own entry',
  );
  t.ok(again.recent.length > 0, 'a query without the files still returns the commit');
  const later = await codeHost.blame(REPOSITORY, other, paths.slice(0, 2), signal);
  t.ok(later.files.every(({ status }) => status !== 'failed'));
});

t.test('an unreachable GitHub fails the analysis instead of giving a draft without suspects', async (t) => {
  const { double, codeHost, restart } = await bench(t);
  const { paths } = await codeHost.tree(REPOSITORY, NO_HINTS, signal);
  const blame = (host = codeHost) => host.blame(REPOSITORY, HEAD, paths.slice(0, 4), signal);
  double.fault({ path: '/graphql', kind: 'status', status: 502, times: 1_000 });
  t.match(await failure(blame()), { code: 'code_host_unavailable' });
  t.equal(
    double.requests.filter(({ path }) => path === '/graphql').length,
    1 + 8,
    'the revision; 4, 2, 1, 1, 2, 1, 1 files, and none',
  );
  double.clearFaults();
  double.fault({ path: '/graphql', kind: 'hang', times: 1_000 });
  const asked = double.requests.length;
  const { codeHost: hasty } = await restart({ timeoutMs: 1_000 });
  t.match(await failure(blame(hasty)), { code: 'code_host_unavailable', message: /in time/ });
  t.ok(double.requests.length - asked <= 3, 'a timeout is not retried indefinitely');
  double.clearFaults();
  double.fault({ path: '/graphql', kind: 'hang' });
  // The first response never comes, so this is also the time that the later ones have.
  const { codeHost: patient } = await restart({ timeoutMs: 4_000 });
  t.ok(
    (await blame(patient)).files.every(({ status }) => status === 'ok' || status === 'skipped'),
    'halved',
  );
  const shas = sampleHistory.make.map(({ sha }) => sha);
  const all = (await codeHost.commits(REPOSITORY, shas, signal)).length;
  for (const fault of [{ kind: 'status', status: 502 }, { kind: 'graphql-resource-limits' }] as const) {
    double.fault({ path: '/graphql', times: 2, ...fault });
    t.equal(
      (await patient.commits(REPOSITORY, shas, signal)).length,
      all,
      'queries for commits are split, too',
    );
  }
});

t.test(
  'responses are cached where an embedder wants: another process requests none of them again',
  async (t) => {
    const kept = new Map<string, unknown>();
    const cache = new Keyv({ store: kept, namespace: 'their-own' });
    const { double, codeHost, restart } = await bench(t);
    const { paths } = await codeHost.tree(REPOSITORY, NO_HINTS, signal);
    const incident = async (host: CodeHost) => [
      await host.blame(REPOSITORY, HEAD, paths.slice(0, 8), signal),
      await host.diff(REPOSITORY, HEAD, signal),
    ];
    double.fault({ path: '/graphql', kind: 'graphql-partial' });
    double.fault({ path: '/graphql', kind: 'status', status: 502, times: 3 });
    const first = await incident((await restart({ cache })).codeHost);
    const whole = await incident((await restart({ cache })).codeHost);
    t.notSame(first, whole, 'partial responses are not cached');
    const before = double.requests.length;
    const again = await incident((await restart({ cache })).codeHost);
    t.same(again, whole);
    t.equal(double.requests.length, before, 'no requests');
    await incident((await restart()).codeHost);
    t.equal(double.requests.length - before, 2, 'without a shared cache everything is requested');
    t.ok([...kept.keys()].every((key) => key.startsWith('their-own:github.')));
    t.ok([...kept.values()].every((text) => JSON.parse(String(text)).expires > Date.now()));
    t.notMatch(JSON.stringify([...kept]), /CANARY/);
    const down = () => Promise.reject(new Error('down'));
    for (const get of [down, async () => '{"key":', async () => '{"value":{"another":1},"expires":1}'])
      t.same(
        await incident((await restart({ cache: { get, set: down, delete: down, clear: down } })).codeHost),
        whole,
        'a failing cache only costs a request',
      );
  },
);

t.test(
  'a cache in memory has a limited size, and its entries a limited age, whatever the clock does',
  async (t) => {
    const open = (ttlMs: number) => openCache<number>(offline, { namespace: 'try', ttlMs, entries: 2 });
    const long = open(60_000);
    for (const key of ['one', 'two', 'three']) await long.set(key, key.length);
    t.same(await Promise.all(['one', 'two', 'three'].map((key) => long.get(key))), [undefined, 3, 5]);
    const short = open(20);
    await short.set('key', 1);
    // Set back by an hour.
    const now = Date.now;
    t.teardown(() => {
      Date.now = now;
    });
    Date.now = () => now() - 3_600_000;
    while ((await short.get('key')) !== undefined) await new Promise(setImmediate);
    t.equal(await short.get('key'), undefined);
  },
);

t.test('a diff of 120 files has every patch; a patch that GitHub omits makes it truncated', async (t) => {
  const repository = makeRepository(join(t.testdir(), 'wide'));
  const files = (text: string) =>
    Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`src/file-${n}.ts`, `${text} ${n}\n`]));
  repository.commit(files('before'));
  const wide = repository.commit(files('after'));
  const large = repository.commit({ 'large.txt': 'a line of text\n'.repeat(21_000), 'small.txt': 'one\n' });
  const { codeHost } = await bench(t, FULL, { repositories: { 'acme/wide': { git: repository.path } } });
  const diff = await codeHost.diff('acme/wide', wide, signal);
  t.equal(diff.files.length, 120);
  t.same(
    diff.files.filter(({ hunks }) => hunks.length === 0),
    [],
  );
  t.equal(diff.truncated, false);
  const cut = await codeHost.diff('acme/wide', large, signal);
  t.match(cut, { truncated: true, files: [{ path: 'large.txt', hunks: [] }, { path: 'small.txt' }] });
});

t.test('web pages of github.com, GHE.com and Enterprise Server', async (t) => {
  t.equal(webUrl('https://api.github.com'), 'https://github.com');
  t.equal(webUrl('https://api.octocorp.ghe.com'), 'https://octocorp.ghe.com');
  t.equal(webUrl('https://api.corp.example/api/v3'), 'https://api.corp.example');
});

t.test('pull requests are linked without a reference in them, where GitHub can do that', async (t) => {
  t.match(linkTemplates('https://github.com', REPOSITORY), {
    commit: 'https://github.com/acme/shop/commit/{sha}',
    pull_request: 'https://redirect.github.com/acme/shop/pull/{number}',
  });
  t.match(linkTemplates('https://octocorp.ghe.com', REPOSITORY), { pull_request: null });
  const { double, publisher, codeHost } = await bench(t);
  const { links } = await codeHost.tree(REPOSITORY, NO_HINTS, signal);
  t.equal(links.pull_request, null, 'the double is an Enterprise server to the connector');
  const bodies = [
    'https://github.com/acme/shop/pull/7',
    '[pull request 7](https://redirect.github.com/acme/shop/pull/7)',
    'pull request 7, `#7`',
    'see #7',
  ];
  for (const [n, body] of bodies.entries())
    await publisher.create({ ...issue(`m${n}`), body: markedBody(body, `m${n}`) }, signal);
  t.same(
    double.references(REPOSITORY, 7).map(({ number }) => number),
    [1, 4],
  );
});

t.test('nothing is sent during a rate limit', async (t) => {
  const limits = { requestsPerHour: 3 };
  const { double, codeHost, publisher } = await bench(t, FULL, { limits });
  const blame = (path: string, host = codeHost) => failure(host.blame(REPOSITORY, HEAD, [path], signal));
  const graphql = () => double.requests.filter(({ path }) => path === '/graphql').length;
  t.equal((await blame('README.md')).code, 'ok');
  t.equal((await blame('src/basket.ts')).code, 'ok');
  t.equal((await blame('package.json')).code, 'ok');
  const over = await blame('none.js');
  t.match(over, { code: 'code_host_unavailable', retryAfterMs: Number });
  t.ok((over.retryAfterMs ?? 0) > 3_000_000, 'until x-ratelimit-reset, nearly an hour', over);
  const asked = graphql();
  const again = await blame('none.js');
  t.ok(again.code === 'code_host_unavailable' && (again.retryAfterMs ?? 0) > 3_000_000);
  t.equal(graphql(), asked, 'not requested again');
  t.equal(await publisher.read(REPOSITORY, 1, signal), null, 'the other API has its own limit');

  const second = await bench(t);
  await second.publisher.find(REPOSITORY, 'm', SINCE, signal);
  const before = second.double.requests.length;
  second.double.fault({ path: '/issues', kind: 'status', status: 403, retryAfter: 2_000 });
  t.match(await failure(second.publisher.find(REPOSITORY, 'm', SINCE, signal)), { retryAfterMs: 2_000_000 });
  t.match(await failure(second.publisher.create(issue('m'), signal)), { code: 'publish_wait' });
  const both = await blame('README.md', second.codeHost);
  t.match(both, { code: 'code_host_unavailable', retryAfterMs: Number });
  t.ok((both.retryAfterMs ?? 0) > 1_000_000, 'the remaining time', both);
  t.equal(second.double.requests.length, before + 1, 'a secondary limit applies to both');
});

t.test('failures of the code host are distinguished', async (t) => {
  const { double, codeHost, restart } = await bench(t);
  const blame = (host = codeHost) => host.blame(REPOSITORY, HEAD, ['README.md'], signal);
  const blameAgain = async () => failure(blame((await restart()).codeHost));
  double.fault({ path: '/graphql', kind: 'graphql-rate-limited' });
  t.match(await blameAgain(), { code: 'code_host_unavailable', retryAfterMs: Number });
  double.fault({ path: '/graphql', kind: 'status', status: 403, retryAfter: 7 });
  t.match(await blameAgain(), { code: 'code_host_unavailable', retryAfterMs: 7_000 });
  double.fault({ path: '/graphql', kind: 'status', status: 500 });
  t.match(await failure(blame()), { code: 'code_host_unavailable' });
  for (const ask of [blame, () => codeHost.commits(REPOSITORY, [HEAD], signal)]) {
    double.fault({ path: '/graphql', kind: 'graphql-unknown-error' });
    t.match(await failure(ask()), { code: 'code_host_unavailable', message: /Internal error/ });
  }
  double.fault({ path: '/graphql', kind: 'garbage' });
  t.match(await failure(blame()), { code: 'code_host_unavailable' });
  double.fault({ path: '/graphql', kind: 'reset-before' });
  t.match(await failure(blame()), { code: 'code_host_unavailable' });
  double.fault({ path: '/graphql', kind: 'hang', times: 100 });
  t.match(await failure(blame((await restart({ timeoutMs: 500 })).codeHost)), {
    code: 'code_host_unavailable',
  });
  double.clearFaults();
  t.match(await blame(), { files: [{ status: 'ok' }] });
  const aborted = AbortSignal.abort(new Error('enough'));
  t.match(await failure(codeHost.blame(REPOSITORY, HEAD, ['src/basket.ts'], aborted)), {
    code: 'bug',
    message: /enough/,
  });
});

t.test('permissions: the missing one is named', async (t) => {
  const none = await bench(t, { user: 'u', permissions: { metadata: 'read' } });
  t.match(await failure(none.codeHost.tree(REPOSITORY, NO_HINTS, signal)), {
    code: 'code_host_forbidden',
    message: /Contents: read/,
  });
  t.match(await failure(none.codeHost.blame(REPOSITORY, HEAD, ['README.md'], signal)), {
    code: 'code_host_forbidden',
    message: /Contents: read/,
  });
  t.match(await failure(none.publisher.create(issue('m1'), signal)), {
    code: 'publish_refused',
    message: /Issues: write/,
  });
  t.match(await failure(none.publisher.find(REPOSITORY, 'm1', SINCE, signal)), {
    code: 'code_host_forbidden',
    message: /Issues: read/,
  });

  const expired = await bench(t, { ...FULL, expiresAt: 1 });
  t.match(await failure(expired.codeHost.tree(REPOSITORY, NO_HINTS, signal)), {
    code: 'code_host_forbidden',
    message: /expired/,
  });
  t.match(await failure(expired.publisher.create(issue('m1'), signal)), {
    code: 'publish_refused',
    message: /expired/,
  });

  const blind = await bench(t, { ...FULL, repositories: [] });
  t.match(await failure(blind.codeHost.tree(REPOSITORY, NO_HINTS, signal)), { code: 'repository_not_found' });

  const { codeHost, double } = await bench(t, {
    ...FULL,
    permissions: { ...FULL.permissions, pull_requests: 'read' },
  });
  t.match(await codeHost.commits(REPOSITORY, [HEAD], signal), [{ sha: HEAD, pull_request: null }]);
  t.ok(double.requests.length > 0);
});

t.test('the token appears in no error and no log line', async (t) => {
  const said: string[] = [];
  const log = (...parts: unknown[]) => void said.push(JSON.stringify(parts));
  const logger = { debug: log, info: log, warn: log, error: log };
  const { double } = await bench(t);
  const { codeHost, publisher, check } = await github({
    token: TOKEN,
    apiUrl: double.url,
    timeoutMs: 300,
  }).setup({ ...context, logger });
  const seen = (error: unknown): string => {
    const { message, stack, cause } = error as Error;
    return `${message} ${stack} ${JSON.stringify(error)} ${cause === undefined ? '' : seen(cause)}`;
  };
  for (const kind of ['reset-before', 'hang', 'garbage', 'status'] as const) {
    for (const work of [
      () => codeHost?.tree(REPOSITORY, NO_HINTS, signal),
      () => codeHost?.blame(REPOSITORY, HEAD, ['README.md'], signal),
      () => codeHost?.diff(REPOSITORY, HEAD, signal),
      () => publisher?.create(issue('m'), signal),
      () => publisher?.find(REPOSITORY, 'm', SINCE, signal),
    ]) {
      double.fault({ kind, times: 5 });
      await work()?.catch((error) => said.push(seen(error)));
      double.clearFaults();
    }
  }
  said.push(JSON.stringify(await check?.(signal)));
  t.ok(said.length > 10);
  t.notMatch(said.join('\n'), /CANARY/);
});
