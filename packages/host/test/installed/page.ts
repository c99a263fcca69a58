import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { home, run, type Sandbox, start } from './sandbox.js';

/** One documentation page in its own folder, outside of the installation. */
export interface Page {
  readonly folder: string;
  /** The shell blocks, in order. */
  readonly shell: readonly string[];
  /** Runs lines of the page unchanged in a shell; only `…` is replaced. */
  run(lines: string, env?: Env): ReturnType<typeof run>;
  /** Starts one line as a server. */
  start(line: string, env: Env, ready: RegExp): ReturnType<typeof start>;
}
type Env = Readonly<Record<string, string>>;

export interface PageOptions {
  readonly node: string;
  /** Values that replace placeholders of the page. */
  readonly filled?: readonly (readonly [string, string])[];
}

/** Writes every fenced block that names a file to that file. Only packages that the page installs can be imported. */
export function openPage(sandbox: Sandbox, page: string, { node, filled = [] }: PageOptions): Page {
  const text = readFileSync(join(home, 'docs', page), 'utf8');
  const fill = (part: string) => filled.reduce((all, [from, to]) => all.replaceAll(from, to), part);
  const folder = sandbox.newFolder(page.replace(/\W+/g, '-'));
  for (const [, file = '', block = ''] of text.matchAll(/```\w+ file=(\S+)\n([\s\S]*?)```/g)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fill(block));
  }
  const commands = shims(sandbox, node);
  const surroundings = (env: Env = {}) => ({
    ...env,
    CULPRIT: sandbox.clone,
    PATH: [commands, dirname(node), process.env.PATH].join(delimiter),
  });
  return {
    folder,
    shell: [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => fill(block).trim()),
    run: (lines, env) => run(folder, 'sh', ['-e', '-c', lines], surroundings(env)),
    start: (line, env, ready) =>
      start(folder, 'sh', ['-e', '-c', lastInPlace(line)], surroundings(env), ready),
  };
}

/** The last command replaces the shell, so that it receives signals. */
function lastInPlace(lines: string): string {
  const all = lines.split('\n');
  return [...all.slice(0, -1), `exec env ${all.at(-1)}`].join('\n');
}

/**
 * Replaces `npx culprit` and `npm install`: links to the one installation instead of copies. Our packages are on no registry: as for npm,
 * each that is needed must be installed from a tarball.
 */
function shims(sandbox: Sandbox, node: string): string {
  const folder = sandbox.newFolder('commands');
  const bin = join(sandbox.directory, 'node_modules/@culprit/host/dist/bin/culprit.js');
  const npm = join(folder, 'npm.mjs');
  writeFileSync(npm, NPM);
  const scripts = {
    npx: `[ "$1" = culprit ] && shift || exit 64
node="${node}"
exec "$node" "${bin}" "$@"`,
    npm: `exec "${node}" "${npm}" "${join(sandbox.directory, 'node_modules')}" "$@"`,
    node: `exec "${node}" "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const NPM = `import { execSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
const [from, verb, ...names] = process.argv.slice(2);
const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const link = (name, target) => {
  if (!existsSync(target)) throw new Error(name + ' is not installed in the sandbox');
  const place = join('node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  if (!existsSync(place)) symlinkSync(target, place);
};
if (verb === 'init') writeFileSync('package.json', '{"name":"sandbox"}');
else if (verb === 'test') execSync(manifest('.').scripts.test, { stdio: 'inherit' });
else if (verb === 'install') {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = names.length > 0 ? {} : manifest('.');
  const all = names.length > 0 ? names : Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  for (const name of all) {
    const [, ours] = /^culprit-(\\w+)-[\\d.]+\\.tgz$/.exec(basename(name)) ?? [];
    if (ours !== undefined) {
      if (!existsSync(name)) throw new Error('ENOENT ' + name);
      link('@culprit/' + ours, join(from, '@culprit', ours));
    } else if (name.startsWith('@culprit/') && names.length > 0) throw new Error('E404 ' + name);
    else if (name.startsWith('.')) link(manifest(name).name, resolve(name));
    else link(name, join(from, name));
  }
  if (existsSync('node_modules/@culprit'))
    for (const name of readdirSync('node_modules/@culprit'))
      for (const needed of Object.keys(manifest('node_modules/@culprit/' + name).dependencies ?? {}))
        if (needed.startsWith('@culprit/') && !existsSync('node_modules/' + needed)) throw new Error('E404 ' + needed);
} else throw new Error('npm ' + verb);
`;
