import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const home = fileURLToPath(new URL('../../../..', import.meta.url));
/** The published packages, in the order of their dependencies. */
export const PACKAGES = ['client', 'core', 'connectors', 'embed', 'host'] as const;
type PackageName = (typeof PACKAGES)[number];

/** Other packages that a user installs. Examples name their own versions. */
const TOOLS = {
  vitest: '3.2.7',
  typescript: '6.0.3',
  '@types/node': '20.19.43',
  valibot: '1.5.0',
  standardwebhooks: '1.1.1',
};

/** A folder in which the packed tarballs and the dependencies of all examples are installed once. */
export interface Sandbox {
  /** Where `node_modules` is. */
  readonly directory: string;
  /** A clone in which `npm run pack` ran: its folder `release` has the tarballs. */
  readonly clone: string;
  /** A new folder with no `node_modules` in it or above it. */
  newFolder(name: string): string;
  readonly tarballs: Readonly<Record<PackageName, string>>;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function openSandbox(
  place: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<Sandbox> {
  const directory = join(place, 'sandbox');
  const clone = join(place, 'clone');
  mkdirSync(directory);
  mkdirSync(join(clone, 'release'), { recursive: true });
  const packed = await Promise.all(
    PACKAGES.map(
      async (name) => [name, await pack(join(home, 'packages', name), join(clone, 'release'))] as const,
    ),
  );
  const tarballs = Object.fromEntries(packed) as Record<PackageName, string>;
  const others = Object.entries({ ...TOOLS, ...dependencies }).filter(
    ([name]) => !name.startsWith('@culprit/'),
  );
  writeFileSync(join(directory, 'package.json'), '{"name":"sandbox","private":true,"type":"module"}');
  await install(directory, [
    ...Object.values(tarballs),
    ...others.map(([name, version]) => `${name}@${version}`),
  ]);
  return { directory, clone, tarballs, newFolder: (name) => mkdtempSync(join(place, `${name}-`)) };
}

/** Without install scripts, which no package needs. */
export async function install(
  directory: string,
  what: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...options];
  const { status, stderr } = await run(directory, 'npm', ['install', ...quiet, ...what]);
  if (status !== 0) throw new Error(`npm install: ${stderr}`);
}

/** The tarball that would be published. */
export async function pack(folder: string, to: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to];
  const { stdout, stderr, status } = await run(folder, 'npm', args);
  if (status !== 0) throw new Error(`npm pack in ${folder}: ${stderr}`);
  const [made] = JSON.parse(stdout) as { filename: string }[];
  return join(to, made?.filename ?? '');
}

export function commit(folder: string, title: string): void {
  const me = ['-c', 'user.name=Ada Quist', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  for (const args of [
    ['init', '--quiet', '.'],
    ['add', '.'],
    [...me, 'commit', '--quiet', '--allow-empty', '-m', title],
  ])
    execFileSync('git', args, { cwd: folder, env: userEnv({}) });
}

const MAX_RUNNING = 2;
const TIMEOUT_MS = 600_000;
let running = 0;
const waiting: (() => void)[] = [];

/** Runs a program to its end. At most {@link MAX_RUNNING} run at a time. */
export async function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  if (running >= MAX_RUNNING) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await runNow(cwd, command, args, env);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function runNow(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const options = { cwd, env: userEnv(env), timeout: TIMEOUT_MS, maxBuffer: 1 << 26 };
  return new Promise((resolve) => {
    const child = execFile(command, [...args], options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

export interface Started {
  readonly line: RegExpExecArray;
  /** Resolves once the output matches; rejects if the program ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** What it has printed. */
  output(): string;
  /** Types into its standard input. */
  type(keys: string): void;
  /** Resolves with its exit code once it and every process that prints for it have ended. */
  readonly ended: Promise<number | null>;
  /** Resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a program and resolves once its output matches `ready`. */
export async function start(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<Started> {
  const child = spawn(command, [...args], { cwd, env: userEnv(env) });
  let text = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(text);
        if (found) resolve(found);
      };
      check();
      child.stdout.on('data', check);
      child.stderr.on('data', check);
      void ended.then((status) =>
        reject(new Error(`${command} ${args.join(' ')} ended with ${status}: ${text}`)),
      );
    });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  }
  const line = await printed(ready);
  return {
    line,
    printed,
    output: () => text,
    type: (keys) => void child.stdin.write(keys),
    ended,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Asks until the condition holds, as long as a program may run. A question that fails is asked again. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  let failure: unknown = null;
  const ask = () =>
    holds().catch((error: unknown) => {
      failure = error;
      return false;
    });
  for (const end = Date.now() + TIMEOUT_MS; !(await ask()); ) {
    if (Date.now() > end) throw new Error('the condition was not met in ten minutes', { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The environment without variables of the test runner and of npm. What certificates are trusted belongs to the machine. */
function userEnv(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'NODE_EXTRA_CA_CERTS' || !/^(NODE_|npm_|TAP|VITEST)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ...env };
}
