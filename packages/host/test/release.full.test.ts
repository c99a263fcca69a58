import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const home = fileURLToPath(new URL('../../..', import.meta.url));

t.test('release.mjs in a clone: commit, tag, tarballs and checksums', async (t) => {
  const clone = join(t.testdir(), 'clone');
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: clone, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  execFileSync('git', ['clone', '--quiet', home, clone]);
  run('git', 'config', 'user.name', 'Release');
  run('git', 'config', 'user.email', 'release@example.com');
  for (const folder of ['.', 'packages/core', 'packages/connectors', 'packages/host']) {
    if (readdirSync(join(home, folder)).includes('node_modules')) {
      symlinkSync(join(home, folder, 'node_modules'), join(clone, folder, 'node_modules'));
    }
  }
  // .gitignore ignores only folders of this name; these are links.
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
  if (!/## \[Unreleased\]\n\n(?:### |- )/.test(changelog)) {
    const text = changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- A change.\n');
    writeFileSync(join(clone, 'CHANGELOG.md'), text);
    run('git', 'commit', '--quiet', '--all', '--message', 'docs: a change');
  }
  const printed = run(process.execPath, 'scripts/release.mjs', '99.0.0');
  t.match(printed, 'Committed and tagged v99.0.0.');
  t.equal(run('git', 'log', '-1', '--format=%s').trim(), 'chore(release): 99.0.0');
  t.equal(run('git', 'describe', '--exact-match').trim(), 'v99.0.0');
  t.equal(run('git', 'status', '--porcelain'), '', 'nothing is left uncommitted');
  t.match(
    run('git', 'show', 'HEAD:CHANGELOG.md'),
    /## \[Unreleased\]\n\n## \[99\.0\.0\] - \d{4}-\d\d-\d\d\n/,
  );

  const sums = readFileSync(join(clone, 'release/SHA256SUMS'), 'utf8').trim().split('\n');
  t.equal(sums.length, 6);
  for (const line of sums) {
    const [digest, file = ''] = line.split('  ');
    t.match(file, /^culprit-(?:(?:client|core|connectors|embed|host)-99\.0\.0\.tgz|99\.0\.0\.cdx\.json)$/);
    t.equal(digestOf(join(clone, 'release', file)), digest, file);
  }
  materials(t, join(clone, 'release/culprit-99.0.0.cdx.json'));

  run('git', 'clean', '-fdxq', '-e', 'node_modules', '-e', 'release');
  run('npm', 'run', '--silent', 'build');
  for (const name of ['client', 'core', 'connectors', 'embed', 'host']) {
    const file = run(
      'npm',
      'pack',
      '--silent',
      '--pack-destination',
      t.testdirName,
      `./packages/${name}`,
    ).trim();
    t.ok(
      sums.includes(`${digestOf(join(t.testdirName, file))}  ${file}`),
      `${file}: anyone who builds the tag gets the same bytes`,
    );
  }
});

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string }[];
  readonly licenses: readonly object[];
}

/** The bill names what an installation contains: no tool, no gap, and what the board's bundle contains. */
function materials(t: Test, file: string): void {
  const bill = JSON.parse(readFileSync(file, 'utf8'));
  t.match(bill, {
    bomFormat: 'CycloneDX',
    specVersion: /^1\.[5-9]$/,
    metadata: { component: { name: 'culprit', version: '99.0.0', type: 'application' } },
  });
  const components: readonly Component[] = bill.components;
  const refs = new Set([bill.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const named = bill.dependencies.flatMap((one: { ref: string; dependsOn: string[] }) => [
    one.ref,
    ...one.dependsOn,
  ]);
  t.same(
    named.filter((ref: string) => !refs.has(ref)),
    [],
    'every dependency is described',
  );
  for (const { name, purl, licenses, hashes } of components) {
    t.match(purl, /^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
    t.ok(licenses.length > 0, name);
    if (!name.startsWith('@culprit/')) t.equal(hashes?.[0]?.alg, 'SHA-512', name);
  }
  const names = new Set(components.map(({ name }) => name));
  for (const name of [
    '@culprit/client',
    '@culprit/core',
    '@culprit/connectors',
    '@culprit/embed',
    '@culprit/host',
    'uwebsockets',
    'classic-level',
    'valibot',
    ...inBoard(),
  ])
    t.ok(names.has(name), name);
  for (const name of ['typescript', 'vite', 'tap', '@biomejs/biome', '@culprit/doubles'])
    t.notOk(names.has(name), name);
}

/** The packages that the board's code imports, which its bundle therefore contains. */
function inBoard(): readonly string[] {
  const folder = join(home, 'packages/board/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
    /\.tsx?$/.test(one),
  );
  const imports = files.flatMap((one) =>
    [...readFileSync(join(folder, one), 'utf8').matchAll(/^import (?!type )[^']*'([^.'][^']*)';$/gm)].map(
      ([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '',
    ),
  );
  t.ok(imports.length > 10, 'the imports were found');
  return [...new Set(imports)];
}
