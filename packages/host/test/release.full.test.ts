import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const home = fileURLToPath(new URL('../../..', import.meta.url));

t.test('release.mjs in a clone: commit, tag, tarballs and checksums', async (t) => {
  const clone = join(t.testdir(), 'clone');
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: clone, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  execFileSync('git', ['clone', '--quiet', home, clone]);
  run('git', 'config', 'user.name', 'Release');
  run('git', 'config', 'user.email', 'release@example.com');
  for (const folder of ['.', 'packages/core', 'packages/connectors', 'packages/embed', 'packages/host']) {
    if (readdirSync(join(home, folder)).includes('node_modules')) {
      symlinkSync(join(home, folder, 'node_modules'), join(clone, folder, 'node_modules'));
    }
  }
  // .gitignore ignores only folders of this name; these are links.
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
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
  t.equal(sums.length, 4);
  for (const line of sums) {
    const [digest, file = ''] = line.split('  ');
    t.match(file, /^culprit-(?:core|connectors|embed|host)-99\.0\.0\.tgz$/);
    t.equal(
      createHash('sha256')
        .update(readFileSync(join(clone, 'release', file)))
        .digest('hex'),
      digest,
      file,
    );
  }
});
