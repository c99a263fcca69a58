import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { commit, home, PACKAGES, pack, run } from './installed/sandbox.js';

/** A machine that has Node, npm and git, and nothing of ours: an empty npm prefix, engines checked. */
function stranger(t: Test) {
  const place = mkdtempSync(join(tmpdir(), 'culprit-stranger-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, 'prefix'));
  const env = {
    npm_config_prefix: join(place, 'prefix'),
    npm_config_engine_strict: 'true',
    npm_config_fund: 'false',
  };
  const shop = join(place, 'shop');
  mkdirSync(join(shop, 'src'), { recursive: true });
  writeFileSync(join(shop, 'src/cart.js'), 'const cart = null;\nconsole.log(cart.total);\n');
  commit(shop, 'Open the shop');
  return { place, env, shop };
}

const FREE = '--edge-port 0 --core-port 0';

/** The duration is printed: other work on the machine must not fail a test. */
async function timed<T>(t: Test, name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  t.comment(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

t.test('from tarballs to a run of one’s own repository: two commands', async (t) => {
  const { place, env, shop } = stranger(t);
  const tarballs = await Promise.all(PACKAGES.map((name) => pack(join(home, 'packages', name), place)));
  const folder = join(place, 'app');
  mkdirSync(folder);
  const sh = (line: string) => run(folder, 'sh', ['-c', line], env);
  const demo = await timed(t, 'from tarballs', async () => {
    const installed = await sh(`npm install --prefer-offline --no-audit ${tarballs.join(' ')}`);
    t.equal(installed.status, 0, installed.stderr);
    return sh(`npx --no culprit demo --repo ${shop} --crash src/cart.js:2 --auto --json ${FREE}`);
  });
  t.equal(demo.status, 0, demo.stdout + demo.stderr);
  const last = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  const { issue_file, states } = last(demo.stdout);
  t.equal(states.at(-1), 'published');
  t.match(readFileSync(issue_file, 'utf8'), /Open the shop/, 'its suspect is a commit of that repository');
  t.match(demo.stderr, /the demo’s files are in .*culprit-demo-/);

  const shown = await sh(`npx --no culprit demo --auto --json ${FREE}`);
  t.equal(shown.status, 0, shown.stdout + shown.stderr);
  t.match(shown.stdout, /@sentry\/node is not installed here/);
  t.equal(last(shown.stdout).states.at(-1), 'published', 'the sample works without the SDK');
});
