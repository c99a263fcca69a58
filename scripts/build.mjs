// Builds everything. A second run with nothing changed takes under a second.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const host = join(root, 'packages/host');
const tsc = join(root, 'node_modules/typescript-7/bin/tsc');

run(['-b']);
if (existsSync(join(host, 'tsconfig.board.json'))) run(['-p', 'packages/host/tsconfig.board.json']);
copyAssets(join(host, 'src/board'), join(host, 'dist/board'));
for (const bin of list(join(host, 'dist/bin'))) {
  if (bin.endsWith('.js')) chmodSync(join(host, 'dist/bin', bin), 0o755);
}

function run(args) {
  const { status } = spawnSync(process.execPath, [tsc, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Copies what tsc leaves behind; files that are the same already stay as they are. */
function copyAssets(from, to) {
  for (const name of list(from)) {
    if (!/\.(html|css|svg|ico)$/.test(name)) continue;
    mkdirSync(to, { recursive: true });
    const target = join(to, name);
    if (existsSync(target) && readFileSync(target).equals(readFileSync(join(from, name)))) continue;
    copyFileSync(join(from, name), target);
  }
}

function list(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}
