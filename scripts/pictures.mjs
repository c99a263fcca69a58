// Updates the pictures in docs/pictures with the browser tests that visit every state of the board.
// usage: npm run pictures [-- --views FOLDER], which also stores every view in full size
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/root.mjs';

const { views } = parseArgs({ options: { views: { type: 'string' } } }).values;
const tests = readdirSync(join(root, 'packages/host/test')).filter((name) =>
  name.startsWith('board-states-'),
);
for (const test of tests) {
  const program = join(root, 'packages/host/dist-test', test.replace(/ts$/, 'js'));
  const { status } = spawnSync(process.execPath, [program], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TAP_TIMEOUT: '600',
      BOARD_PICTURES: join(root, 'docs/pictures'),
      ...(views === undefined ? {} : { BOARD_VIEWS: resolve(views) }),
    },
  });
  if (status !== 0) process.exit(status ?? 1);
}
