// Updates the screenshots in docs/pictures with the browser test that takes them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const story = join(root, 'packages/host/dist-test/board-story.test.js');
const { status } = spawnSync(process.execPath, [story], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TAP_GREP: '/pictures/', BOARD_PICTURES: join(root, 'docs/pictures') },
});
process.exit(status ?? 1);
