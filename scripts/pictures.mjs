// Updates the pictures in docs/pictures with the browser test that visits every state of the board.
// usage: npm run pictures [-- --views FOLDER], which also stores every view in full size
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/root.mjs';

const { views } = parseArgs({ options: { views: { type: 'string' } } }).values;
const states = join(root, 'packages/host/dist-test/board-states.full.test.js');
const { status } = spawnSync(process.execPath, [states], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    TAP_TIMEOUT: '600',
    BOARD_PICTURES: join(root, 'docs/pictures'),
    ...(views === undefined ? {} : { BOARD_VIEWS: resolve(views) }),
  },
});
process.exit(status ?? 1);
