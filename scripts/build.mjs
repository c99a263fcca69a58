// Builds the packages; with --tests checks and compiles the tests, too. With nothing changed it takes under a second.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildBoard } from './lib/build-board.mjs';
import { buildEmbed } from './lib/build-embed.mjs';
import { compileTests } from './lib/compile-tests.mjs';
import { generateSources } from './lib/generate-sources.mjs';
import { requireInstalled } from './lib/installed.mjs';
import { removeOrphans } from './lib/orphans.mjs';
import { root } from './lib/root.mjs';

const host = join(root, 'packages/host');
const tsc = join(root, 'node_modules/typescript-7/bin/tsc');

requireInstalled();
await generateSources();
run(['-b']);
for (const name of ['client', 'core', 'connectors', 'doubles', 'host']) {
  const folder = join(root, 'packages', name);
  removeOrphans(join(folder, 'src'), join(folder, 'dist'), 'board');
}
run(['-p', 'packages/board']);
await buildBoard();
buildEmbed();
for (const bin of list(join(host, 'dist/bin'))) {
  if (bin.endsWith('.js')) chmodSync(join(host, 'dist/bin', bin), 0o755);
}
if (process.argv.includes('--tests') && !(await compileTests()).ok) process.exit(1);

function run(args) {
  const { status } = spawnSync(process.execPath, [tsc, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function list(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}
