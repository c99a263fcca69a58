import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@culprit/core';
import type { CodeHost, Connector } from '@culprit/core/connector';
import { analyse } from '@culprit/core/internal/pipeline/analyse';
import { makeFingerprint, makeFrame } from '@culprit/core/internal/testing/builders';
import { makeEvent } from '@culprit/core/testing';
import { startForgejoDouble } from '@culprit/doubles/forgejo';
import { startGithubDouble } from '@culprit/doubles/github';
import { startGitlabDouble } from '@culprit/doubles/gitlab';
import t, { type Test } from 'tap';
import { forgejo } from '../../src/forgejo/index.js';
import { github } from '../../src/github/index.js';
import { gitlab } from '../../src/gitlab/index.js';
import { template } from '../../src/template/index.js';
import { closeAll, context, gitHost, signal } from './support/context.js';
import { makeRepository, type TestRepository } from './support/repository.js';

const LATE = '2030-01-01T00:00:00.000Z';
const NO_HINTS = { commit: null, release: null, at: LATE };
const CART = 'exports.total = function total (cart) {\n  return cart.voucher.amount\n}\n';

t.teardown(closeAll);

/** An old line that crashes, under newer work elsewhere. */
function shop(path: string): { readonly origin: TestRepository; readonly shas: readonly string[] } {
  const origin = makeRepository(path);
  const at = (day: number) => ({
    at: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
    message: `Day ${day}`,
  });
  const shas = [
    origin.commit({ 'src/cart.js': CART.replace('.amount', '') }, at(1)),
    origin.commit({ 'src/other.js': 'x\n' }, at(2)),
    origin.commit({ 'src/cart.js': CART }, at(3)),
    ...[4, 5, 6].map((day) => origin.commit({ 'notes.txt': `${day}\n` }, at(day))),
  ];
  return { origin, shas };
}

/** The whole analysis of the crash in `total`, with real git. */
async function analysed(
  repository: string,
  more: { readonly commit?: string; readonly codeHost?: CodeHost } = {},
) {
  const frame = makeFrame({ file: '/srv/shop/src/cart.js', function: 'total', line: 2, in_app: true });
  const event = makeEvent({
    timestamp: '2026-01-07T00:00:00.000Z',
    received_at: '2026-01-07T00:00:00.000Z',
    commit: more.commit ?? null,
    exceptions: [
      {
        ...{ type: 'TypeError', value: 'Cannot read amount of undefined', module: null, handled: false },
        ...{ synthetic: false, mechanism: null, frames: [frame] },
      },
    ],
  });
  const { explainer } = await template({}).setup(context);
  return analyse(
    {
      ...{
        run_id: 'run_1',
        project: 'default',
        generation: 1,
        cycle: 1,
        event,
        analyzedAt: event.received_at,
      },
      incident: {
        ...{
          title: 'TypeError',
          fingerprint: makeFingerprint(),
          level: 'error',
          platform: 'node',
          occurrences: 1,
        },
        ...{ first_seen: event.timestamp, last_seen: event.timestamp, releases: [], environments: [] },
        ...{ doors: ['native'], regression_of: null },
      },
      config: {
        ...{ repository, publishRepository: repository, mappings: [], labels: [], assignees: [] },
        ...{ commitLabels: false, diffBudget: 50 },
      },
    },
    {
      codeHost: more.codeHost ?? (await gitHost()),
      explainers: explainer === undefined ? [] : [explainer],
      explainMs: 1_000,
      clock: systemClock,
      signal,
    },
  );
}

/** A code host that reads the repository from a double of its server. */
async function connected(t: Test, connector: Connector): Promise<CodeHost> {
  const parts = await connector.setup({ ...context, fetch: globalThis.fetch });
  t.teardown(async () => parts.close?.());
  if (!parts.codeHost) throw new Error('no code host');
  return parts.codeHost;
}

/** Each call connects anew, to the same server and with the same copy. */
async function onForgejo(t: Test, path: string): Promise<() => Promise<CodeHost>> {
  const token = 'CANARY0123456789abcdef0123456789abcdef01';
  const double = await startForgejoDouble({
    repositories: { 'acme/shop': { git: path } },
    tokens: { [token]: { user: 'bot', scopes: ['read:repository', 'read:user', 'write:issue'] } },
  });
  t.teardown(() => double.close());
  const config = { url: double.url, token, mirrorDirectory: join(t.testdirName, 'mirrors') };
  return () => connected(t, forgejo(config));
}

t.test('where a shallow clone ends, the answer is that, and how to get the rest', async (t) => {
  const folder = t.testdir();
  const { origin, shas } = shop(join(folder, 'origin'));
  const clone = (name: string, ...flags: readonly string[]) => {
    const path = join(folder, name);
    execFileSync('git', ['clone', '-q', ...flags, `file://${origin.path}`, path]);
    return path;
  };
  const full = await analysed(clone('full'));
  t.equal(full.suspects[0]?.sha, shas[2]);
  t.equal(full.revision?.gaps, undefined, 'a whole history has no gap');
  const shallow = clone('shallow', '--depth=3');
  const { suspects, no_suspect, revision, draft } = await analysed(shallow);
  t.strictSame(suspects, [], 'no suspect, no verdict, no probability');
  t.match(no_suspect, {
    code: 'history_ends',
    end: { sha: shas[3], committed_at: '2026-01-04T00:00:00.000Z' },
  });
  t.match(revision?.gaps, [
    { code: 'shallow', since: '2026-01-04T00:00:00.000Z', command: 'git fetch --unshallow' },
  ]);
  t.match(
    draft.body,
    /\*\*No suspect\.\*\* The history ends here.*It is `[0-9a-f]{12}`.*`git fetch --unshallow`/,
  );
  t.equal(draft.body.split('The history ends here').length, 2, 'it is said once');
  t.notMatch(draft.body, /likely|%|### Blame|### Suspect/i);
  t.strictSame(draft.labels, ['culprit', 'suspect:none']);
  // One more commit, so that blame is complete, and the commit before the culprit is the end.
  execFileSync('git', ['-C', shallow, 'fetch', '-q', '--deepen=2']);
  const deeper = await analysed(shallow);
  t.match(deeper.suspects[0], { sha: shas[2], verdict: 'recent', unrated: { code: 'shallow' } });
  t.notOk(
    deeper.suspects.some(({ sha }) => sha === shas[1]),
    'the end is not among them',
  );
  t.match(deeper.draft.body, /no probability: the clone is shallow/);
  t.match(deeper.draft.body, /The clone is shallow: before 2026-01-02.*`git fetch --unshallow`/);
  execFileSync('git', ['-C', shallow, 'fetch', '-q', '--unshallow']);
  const whole = await analysed(shallow);
  t.strictSame(
    whole.suspects.map(({ sha }) => sha),
    full.suspects.map(({ sha }) => sha),
  );
  t.equal(whole.revision?.gaps, undefined);
  t.strictSame(deeper.suspects[0]?.sha, whole.suspects[0]?.sha);
});

t.test('a branch whose own history is whole has no gap, although another one is shallow', async (t) => {
  const folder = t.testdir();
  const { origin } = shop(join(folder, 'origin'));
  const other = makeRepository(join(folder, 'other'));
  const head = other.commit({ a: 'a\n' });
  const path = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${origin.path}`, path]);
  execFileSync('git', ['-C', path, 'fetch', '-q', other.path, 'main']);
  const codeHost = await gitHost();
  t.match((await codeHost.tree(path, NO_HINTS, signal)).gaps, [{ code: 'shallow' }]);
  t.equal((await codeHost.tree(path, { ...NO_HINTS, commit: head }, signal)).gaps, undefined);
});

t.test('a replaced or grafted commit is never a suspect', async (t) => {
  const folder = t.testdir();
  const { origin, shas } = shop(join(folder, 'origin'));
  const [first = '', , culprit = ''] = shas;
  t.equal((await analysed(origin.path)).suspects[0]?.sha, culprit);
  origin.git('replace', culprit, first);
  const replaced = await analysed(origin.path);
  t.match(replaced.no_suspect, { code: 'commit_replaced', end: { sha: culprit } });
  t.match(replaced.revision?.gaps, [{ code: 'replaced', commits: 1, command: null }]);
  t.match(replaced.draft.body, /git replace or a graft/);
  origin.git('replace', '-d', culprit);
  mkdirSync(dirname(join(origin.path, '.git/info/grafts')), { recursive: true });
  writeFileSync(join(origin.path, '.git/info/grafts'), `${culprit}\n`);
  t.match(await analysed(origin.path), { suspects: [], no_suspect: { code: 'commit_replaced' } });
});

t.test('a partial clone says that changes may be missing', async (t) => {
  const folder = t.testdir();
  const { origin } = shop(join(folder, 'origin'));
  origin.git('config', 'uploadpack.allowFilter', 'true');
  const path = join(folder, 'partial');
  execFileSync('git', ['clone', '-q', '--filter=blob:none', '--no-checkout', `file://${origin.path}`, path]);
  const { no_suspect, revision, draft } = await analysed(path);
  t.match(no_suspect, { code: 'blame_failed', detail: /missing/ });
  t.match(revision?.gaps, [{ code: 'missing_content', command: 'git fetch --refetch --no-filter' }]);
  t.match(draft.body, /The clone is partial.*`git fetch --refetch --no-filter`/);
});

t.test('a commit that is not in the clone, and a crash in a submodule', async (t) => {
  const folder = t.testdir();
  const { origin } = shop(join(folder, 'origin'));
  const missing = await analysed(origin.path, { commit: 'e'.repeat(40) });
  t.match(missing.revision, { how: 'head', gaps: [{ code: 'revision_missing', named: 'e'.repeat(40) }] });
  t.match(missing.suspects[0], { verdict: 'recent', unrated: { code: 'revision_missing' } });
  const outer = makeRepository(join(folder, 'outer'));
  outer.commit({ 'readme.md': 'x\n' }, { at: '2026-01-01T00:00:00Z' });
  outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', origin.path, 'src');
  outer.commit({}, { at: '2026-01-02T00:00:00Z' });
  t.match(await analysed(outer.path), {
    no_suspect: { code: 'in_submodule' },
    revision: { gaps: [{ code: 'submodule', path: 'src' }] },
  });
});

t.test('a crash in a submodule on GitHub, GitLab and Forgejo', async (t) => {
  const folder = t.testdir();
  const { shas } = shop(join(folder, 'origin'));
  const outer = makeRepository(join(folder, 'outer'));
  outer.commit({ 'readme.md': 'x\n' }, { at: '2026-01-01T00:00:00Z' });
  outer.git('update-index', '--add', '--cacheinfo', `160000,${shas.at(-1)},src`);
  outer.commit({ 'notes.txt': 'x\n' }, { at: '2026-01-02T00:00:00Z' });
  const token = 'CANARY0123456789abcdef';
  const permissions = { metadata: 'read', contents: 'read', issues: 'write' } as const;
  const onGithub = await startGithubDouble({
    repositories: { 'acme/shop': { git: outer.path } },
    tokens: { [token]: { user: 'bot', permissions } },
  });
  const onGitlab = await startGitlabDouble({
    repositories: { 'acme/shop': { git: outer.path } },
    tokens: { [token]: { user: 'bot', scopes: ['api'] } },
  });
  t.teardown(() => Promise.all([onGithub.close(), onGitlab.close()]));
  for (const [repository, codeHost] of [
    ['acme/shop', await connected(t, github({ token, apiUrl: onGithub.url }))],
    ['gitlab:acme/shop', await connected(t, gitlab({ token, url: onGitlab.url }))],
    ['forgejo:acme/shop', await (await onForgejo(t, outer.path))()],
  ] as const) {
    const { suspects, no_suspect, revision, draft } = await analysed(repository, { codeHost });
    t.strictSame(suspects, [], repository);
    t.match(no_suspect, { code: 'in_submodule' }, repository);
    t.match(revision?.gaps, [{ code: 'submodule', path: 'src' }], repository);
    t.match(draft.body, /\*\*No suspect\.\*\* The crashed code is in a submodule/);
    t.match(draft.body, /the submodule src/);
    t.notMatch(draft.body, /\d %|[Ll]ikely/);
  }
});

t.test('a repository on Forgejo that is itself shallow: its history ends there, too', async (t) => {
  const folder = t.testdir();
  const { origin, shas } = shop(join(folder, 'origin'));
  const path = join(folder, 'shallow');
  execFileSync('git', ['clone', '-q', '--depth=3', `file://${origin.path}`, path]);
  const connect = await onForgejo(t, path);
  const crash = async () => analysed('forgejo:acme/shop', { codeHost: await connect() });
  const { suspects, no_suspect, revision, draft } = await crash();
  t.strictSame(suspects, []);
  t.match(no_suspect, { code: 'history_ends' });
  t.match(revision?.gaps, [{ code: 'shallow' }]);
  t.match(draft.body, /\*\*No suspect\.\*\* The history ends here/);
  execFileSync('git', ['fetch', '-q', '--unshallow'], { cwd: path });
  t.equal((await crash()).suspects[0]?.sha, shas[2], 'deepened on the server, so in the copy, too');
});
