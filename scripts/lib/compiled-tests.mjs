import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { bin } from './tasks.mjs';

const OUT = '.tap/quick';
const DATA = ['packages/core/test/fixtures', 'packages/core/test/injection'];

/**
 * Core's tests as plain JavaScript in `.tap/quick`, which Node runs at once: loading TypeScript anew for every file takes
 * longer than most of these tests. Types are not looked at here; "types of tests" does.
 */
export async function compileUnitTests(run) {
  rmSync(join(root, OUT), { recursive: true, force: true });
  if (!(await run('compile core’s tests', [bin.tsc, '-p', 'tsconfig.quick.json']))) return false;
  for (const folder of DATA) {
    mkdirSync(join(root, OUT, folder, '..'), { recursive: true });
    symlinkSync(join(root, folder), join(root, OUT, folder));
  }
  return true;
}
