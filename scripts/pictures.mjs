// Takes the pictures of README and docs anew, as the browser tests do: docs/pictures.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/tap/dist/esm/run.mjs'),
    'run',
    'packages/host/test/board-story.test.ts',
    '--grep=/pictures/',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, BOARD_PICTURES: join(root, 'docs/pictures') } },
);
process.exit(status ?? 1);
