import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';

const home = fileURLToPath(new URL('../../..', import.meta.url));

interface Release {
  isNewer(version: string, current: string): boolean;
  statedVersions(root: string): readonly { readonly file: string; readonly version: string }[];
  setVersion(root: string, version: string): Record<string, string>;
  cutChangelog(root: string, version: string, date: string): Record<string, string>;
}
const { isNewer, statedVersions, setVersion, cutChangelog }: Release = await import(
  pathToFileURL(join(home, 'scripts/lib/release.mjs')).href
);
const { subjectFault }: { subjectFault(subject: string): string | null } = await import(
  pathToFileURL(join(home, 'scripts/lib/commit-subject.mjs')).href
);

t.test('every package, example and versions.ts state the version of the root package', async (t) => {
  const stated = statedVersions(home);
  const wanted = stated[0]?.version;
  t.ok(stated.length > 20, 'packages and examples were found');
  t.strictSame(
    stated.filter(({ version }) => version !== wanted),
    [],
  );
});

t.test('a release changes every place and moves the unreleased changes', async (t) => {
  const changes = setVersion(home, '7.8.9');
  t.match(changes['packages/core/src/pipeline/versions.ts'], "culprit: '7.8.9'");
  t.match(JSON.parse(changes['packages/host/package.json'] ?? ''), {
    version: '7.8.9',
    dependencies: { '@culprit/core': '7.8.9', '@culprit/connectors': '7.8.9' },
  });
  t.match(JSON.parse(changes['examples/embed/package.json'] ?? ''), {
    dependencies: { '@culprit/core': '7.8.9' },
  });
  t.notMatch(
    changes['package-lock.json'],
    /"(?:@culprit\/\w+|version)": "0\.1\.0",?\n\s+"license": "Apache-2.0",\n\s+"workspaces"/,
  );

  const folder = t.testdir({ 'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n### Added\n- One.\n' });
  t.equal(
    cutChangelog(folder, '7.8.9', '2026-12-01')['CHANGELOG.md'],
    '# Changelog\n\n## [Unreleased]\n\n## [7.8.9] - 2026-12-01\n\n### Added\n- One.\n',
  );
  const empty = t.testdir({ 'CHANGELOG.md': '## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n- Old.\n' });
  t.throws(() => cutChangelog(empty, '7.8.9', '2026-12-01'), /no unreleased changes/);
});

t.test('documented installations name tarballs, and all that those need', async (t) => {
  const tarballs = statedVersions(home).flatMap(
    ({ file }) => /^packages\/(client|core|connectors|embed|host)\/package\.json$/.exec(file)?.[1] ?? [],
  );
  t.equal(tarballs.length, 5);
  const needs = (name: string) =>
    Object.keys(
      JSON.parse(readFileSync(join(home, 'packages', name, 'package.json'), 'utf8')).dependencies ?? {},
    ).flatMap((one) => /^@culprit\/(.*)/.exec(one)?.[1] ?? []);
  const listed = spawnSync(
    'git',
    [
      'grep',
      '-nE',
      'npm install .*(@culprit/|culprit-[^ ]*\\.tgz)',
      '--',
      ':!docs/decisions',
      ':!*.ts',
      ':!CHANGELOG.md',
    ],
    {
      cwd: home,
      encoding: 'utf8',
    },
  )
    .stdout.trim()
    .split('\n');
  t.ok(listed.length > 10, 'the pages were found');
  for (const line of listed) {
    t.notMatch(line, /npm install [^#]*@culprit\//, 'on no registry');
    const patterns = [...line.matchAll(/release\/culprit-(\S+?)-?\*\.tgz/g)].map(
      ([, start = '']) => new RegExp(`^${start}`),
    );
    const given = tarballs.filter((name) => patterns.some((pattern) => pattern.test(name)));
    t.ok(given.length > 0, line);
    t.strictSame(
      given.flatMap(needs).filter((name) => !given.includes(name)),
      [],
      line,
    );
  }
});

t.test('a tag that differs from the version of its commit is seen, and not pushed', async (t) => {
  const root = t.testdir({
    'package.json': '{"name":"culprit-monorepo","version":"1.2.0"}',
    packages: {},
    examples: {},
  });
  mkdirSync(join(root, 'packages/core/src/pipeline'), { recursive: true });
  writeFileSync(join(root, 'packages/core/src/pipeline/versions.ts'), "culprit: '1.2.0'");
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'x');
  const push = (tag: string, commit = git('rev-parse', 'HEAD')) =>
    spawnSync(join(home, 'scripts/hooks/pre-push'), {
      cwd: root,
      encoding: 'utf8',
      input: `refs/tags/${tag} ${commit} refs/tags/${tag} ${'0'.repeat(40)}\n`,
    });
  t.match(push('v1.2.0'), { status: 0 });
  t.match(push('v1.3.0', '0'.repeat(40)), { status: 0 }, 'a deleted tag');
  t.match(push('v1.3.0'), { status: 1, stderr: /v1\.3\.0 is on a commit whose version is 1\.2\.0/ });
  git('tag', 'v1.2.0');
  t.same(new Set(statedVersions(root).map(({ version }) => version)), new Set(['1.2.0']));
  git('tag', 'v1.3.0');
  t.ok(statedVersions(root).some(({ version }) => version === '1.3.0'));
});

t.test('versions must increase', async (t) => {
  t.ok(isNewer('0.2.0', '0.1.9'));
  t.ok(isNewer('1.0.0', '0.9.9'));
  for (const version of ['0.1.0', '0.0.9', '1', 'v1.0.0', '1.0.0-rc.1'])
    t.notOk(isNewer(version, '0.1.0'), version);
});

t.test('release.mjs refuses a version that is not above the current one', async (t) => {
  const run = spawnSync(process.execPath, [join(home, 'scripts/release.mjs'), '0.0.1'], { encoding: 'utf8' });
  t.equal(run.status, 1);
  t.match(run.stderr, /^usage: .* above \d/);
});

t.test('commit subjects: type, scope and length', async (t) => {
  for (const subject of [
    'fix(git): a renamed file keeps its blame',
    'docs: spelling',
    'feat(core,host)!: codes',
  ]) {
    t.equal(subjectFault(subject), null, subject);
  }
  t.match(subjectFault('Fix the thing'), /type\(scope\)/);
  t.match(subjectFault('fixed(git): x'), /Unknown type "fixed"/);
  t.match(subjectFault('fix(kitchen): x'), /Unknown scope "kitchen"/);
  t.match(subjectFault(`fix: ${'x'.repeat(120)}`), /Longer than 120/);
  for (const entry of readdirSync(join(home, 'packages/connectors/src'), { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory() && name !== 'shared')
      t.equal(subjectFault(`fix(${name}): x`), null, `${name} is a scope`);
  }
});
