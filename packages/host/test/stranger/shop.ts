import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const home = fileURLToPath(new URL('../../../..', import.meta.url));
/** In the order of their dependencies; a stranger has nothing else of ours. */
const PACKAGES = ['core', 'connectors', 'host'] as const;
export type PackageName = (typeof PACKAGES)[number];

/** What strangers have beside us: versions are the examples' own, or pinned here. */
const TOOLS = {
  vitest: '3.2.7',
  typescript: '6.0.3',
  '@types/node': '20.19.43',
  valibot: '1.5.0',
  ws: '8.23.0',
};

/** A folder where the packed tarballs and everything that examples name are installed, once for all tests. */
export interface Shop {
  readonly directory: string;
  readonly tarballs: Readonly<Record<PackageName, string>>;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function openShop(directory: string, dependencies: Readonly<Record<string, string>>): Shop {
  const packed = PACKAGES.map((name) => [name, pack(join(home, 'packages', name), directory)] as const);
  const tarballs = Object.fromEntries(packed) as Record<PackageName, string>;
  const others = Object.entries({ ...TOOLS, ...dependencies }).filter(
    ([name]) => !name.startsWith('@culprit/'),
  );
  writeFileSync(join(directory, 'package.json'), '{"name":"stranger","private":true,"type":"module"}');
  install(directory, [...Object.values(tarballs), ...others.map(([name, version]) => `${name}@${version}`)]);
  return { directory, tarballs };
}

/** Without install scripts: nothing of ours needs any. */
export function install(directory: string, what: readonly string[]): void {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { status, stderr } = run(directory, 'npm', ['install', ...quiet, ...what]);
  if (status !== 0) throw new Error(`npm install: ${stderr}`);
}

function pack(folder: string, to: string): string {
  mkdirSync(to, { recursive: true });
  const { stdout, stderr, status } = run(folder, 'npm', ['pack', '--json', '--pack-destination', to]);
  if (status !== 0) throw new Error(`npm pack in ${folder}: ${stderr}`);
  const [made] = JSON.parse(stdout) as { filename: string }[];
  return join(to, made?.filename ?? '');
}

export function commit(folder: string, title: string): void {
  run(folder, 'git', ['init', '--quiet', '.']);
  run(folder, 'git', ['add', '.']);
  const me = ['-c', 'user.name=Ada Quist', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  run(folder, 'git', [...me, 'commit', '--quiet', '-m', title]);
}

export function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Ran {
  return spawnSync(command, [...args], { cwd, encoding: 'utf8', env: strangersEnv(env), timeout: 120_000 });
}

/** Starts a program and resolves once it has printed a line that fits. */
export async function start(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<{ readonly line: RegExpExecArray; stop(): Promise<number | null> }> {
  const child = spawn(command, [...args], { cwd, env: strangersEnv(env) });
  let text = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const line = await new Promise<RegExpExecArray>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      text += chunk;
      const found = ready.exec(text);
      if (found) resolve(found);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then((status) =>
      reject(new Error(`${command} ${args.join(' ')} ended with ${status}: ${text}`)),
    );
  });
  return {
    line,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** A stranger has no test runner's options, and no workspace around him. */
function strangersEnv(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(NODE_|npm_|TAP|VITEST)/i.test(name));
  return { ...Object.fromEntries(kept), ...env };
}
