import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
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
  for (const name of readdirSync(join(home, 'packages/connectors/src'))) {
    if (name !== 'shared') t.equal(subjectFault(`fix(${name}): x`), null, `${name} is a scope`);
  }
});
