#!/usr/bin/env node
// Runs the built command. A clone is built first, if it is not yet; an installed package contains its build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = new URL('../dist/bin/culprit.js', import.meta.url);
const build = new URL('../../../scripts/build.mjs', import.meta.url);
if (!existsSync(command) && existsSync(build)) {
  process.stderr.write('culprit: building, only this once …\n');
  const { status } = spawnSync(process.execPath, [fileURLToPath(build)], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
await import(command.href);
