// Prepares a release: versions, changelog, tarballs and a bill of materials with checksums, commit and tag. Nothing is published or pushed. See docs/release.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packAll } from './lib/pack.mjs';
import { cutChangelog, isNewer, setVersion } from './lib/release.mjs';
import { root } from './lib/root.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const [version = ''] = positionals;
const current = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

if (!isNewer(version, current)) stop(`usage: node scripts/release.mjs VERSION [--dry-run]; above ${current}`);
if (!options['dry-run'] && git('status', '--porcelain') !== '') stop('Commit or remove your changes first.');
if (git('tag', '--list', `v${version}`) !== '') stop(`The tag v${version} exists already.`);

const changes = { ...setVersion(root, version), ...cutChangelog(root, version, today()) };
for (const file of Object.keys(changes)) console.log(`version ${version}: ${file}`);
if (options['dry-run']) process.exit(0);

for (const [file, text] of Object.entries(changes)) writeFileSync(join(root, file), text);
run('npm', 'run', '--silent', 'build');
run(process.execPath, 'scripts/reference.mjs');
packAll(version);
git('add', '--all');
git('commit', '--quiet', '--message', `chore(release): ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Culprit ${version}`);
console.log(
  `Committed and tagged v${version}. Tarballs, SBOM and SHA256SUMS are in release/. Next: docs/release.md, step 3.`,
);

function today() {
  return new Date().toISOString().slice(0, 10);
}

function git(...args) {
  return run('git', ...args).trim();
}

function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) stop(`${program} ${args.join(' ')} failed:\n${error?.message ?? stdout + stderr}`);
  return stdout;
}

function stop(reason) {
  console.error(reason);
  process.exit(1);
}
