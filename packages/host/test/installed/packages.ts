import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { home, install, PACKAGES, run, type Sandbox } from './sandbox.js';

const bin = (name: string) => join(home, 'node_modules/.bin', name);

/** publint and are-the-types-wrong on the tarballs that would be published. */
export async function checkTarballs(t: Test, { directory, tarballs }: Sandbox): Promise<void> {
  const looks = Object.values(tarballs).flatMap((tarball) => [
    ['publint', run(directory, bin('publint'), ['run', tarball, '--strict'])] as const,
    ['attw', run(directory, bin('attw'), [tarball, '--profile', 'esm-only'])] as const,
  ]);
  for (const [name, look] of looks) {
    const { status, stdout, stderr } = await look;
    t.equal(status, 0, `${name}${status === 0 ? '' : `: ${stdout}${stderr}`}`);
  }
}

/** Native modules with prebuilt binaries; their scripts would only rebuild them. Everything here was installed without scripts. */
const WITH_SCRIPTS = ['classic-level'];

/** Installing our packages runs no scripts, including those of core's dependencies. */
export async function checkScripts(t: Test, { directory, tarballs }: Sandbox): Promise<void> {
  for (const name of PACKAGES) {
    const folder = join(directory, 'node_modules/@culprit', name);
    t.strictSame(Object.keys(manifest(folder).scripts ?? {}), [], name);
    t.notOk(readdirSync(folder).includes('binding.gyp'));
  }
  const alone = join(directory, 'core-alone');
  mkdirSync(alone);
  writeFileSync(join(alone, 'package.json'), '{"name":"alone","private":true}');
  await install(alone, [tarballs.core], STRICT);
  t.strictSame(scripted(alone), [], 'core and its dependencies');
  const ours = ['connectors', 'host'].flatMap((name) =>
    Object.keys(manifest(join(directory, 'node_modules/@culprit', name)).dependencies ?? {}),
  );
  t.strictSame(
    scripted(directory).filter((name) => ours.includes(name)),
    WITH_SCRIPTS,
    'no others',
  );
}

/** Installed packages with install scripts. */
function scripted(directory: string): readonly string[] {
  const modules = join(directory, 'node_modules');
  return readdirSync(modules)
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    )
    .filter((name) => existsSync(join(modules, name, 'package.json')))
    .filter((name) => {
      const { scripts = {} } = manifest(join(modules, name));
      return ['preinstall', 'install', 'postinstall'].some((script) => script in scripts);
    });
}

function manifest(folder: string): Readonly<Record<string, Readonly<Record<string, string>> | undefined>> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** npm refuses packages that need another version of Node than this one. */
const STRICT = ['--engine-strict'];
const MIB = 1024 * 1024;
/** Core alone: 5.6 MiB with the investigations, of which valibot and the declarations are most. */
const MAX_BYTES = 5.75 * MIB;
const MAX_EMBEDDED = 30_000_000;

/** Core alone, and what an embedder installs. Everything exceeds both limits, which proves that the checks can fail. */
export async function checkSize(t: Test, sandbox: Sandbox): Promise<void> {
  const { directory, tarballs, newFolder } = sandbox;
  const bytes = sizeOf(join(directory, 'core-alone/node_modules'));
  t.ok(bytes > 500_000 && bytes < MAX_BYTES, `core installs in ${bytes} bytes`);
  t.comment(`core alone: ${(bytes / MIB).toFixed(2)} MiB`);
  const embedder = newFolder('embedder');
  writeFileSync(join(embedder, 'package.json'), '{"name":"embedder","private":true}');
  await install(embedder, [tarballs.client, tarballs.core, tarballs.connectors, tarballs.embed], STRICT);
  const host = join(directory, 'host-alone');
  mkdirSync(host);
  writeFileSync(join(host, 'package.json'), '{"name":"host-alone","private":true}');
  await install(host, Object.values(tarballs), [...STRICT, '--package-lock-only']);
  const embedded = sizeOf(join(embedder, 'node_modules'));
  t.ok(embedded > bytes && embedded < MAX_EMBEDDED, `an embedder installs ${embedded} bytes`);
  t.comment(`embedder: ${(embedded / 1e6).toFixed(1)} MB`);
  for (const unused of ['uWebSockets.js', '@octokit'])
    t.notOk(existsSync(join(embedder, 'node_modules', unused)), `without ${unused}`);
  await checkClient(t, sandbox);
  const { status, stdout, stderr } = await run(embedder, process.execPath, [
    '--input-type=module',
    '-e',
    LOAD,
  ]);
  t.match({ status, stdout }, { status: 0, stdout: 'function function' }, stderr);
  await checkDeclarations(t, directory, embedder);
  t.ok(sizeOf(join(directory, 'node_modules')) > MAX_EMBEDDED, 'everything is larger');
}

/** The client alone: nothing else is installed, and without a WebSocket the live client says what to do. */
async function checkClient(t: Test, { tarballs, newFolder }: Sandbox): Promise<void> {
  const folder = newFolder('client');
  writeFileSync(join(folder, 'package.json'), '{"name":"client","private":true}');
  await install(folder, [tarballs.client], STRICT);
  t.strictSame(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@culprit'],
  );
  const { stdout, stderr } = await run(folder, process.execPath, ['--input-type=module', '-e', WATCH]);
  t.match(stdout, /^closed no_websocket .*Install the package `ws`/, stderr);
}

const WATCH = `globalThis.WebSocket = undefined;
const { connectLive } = await import('@culprit/client/live');
connectLive({ url: 'http://127.0.0.1:1' }).on('state', ({ state, reason, detail }) => {
  if (state === 'closed') console.log(state, reason, detail);
});`;

/** TypeScript checks every declaration that the guide's program reaches, with no optional library installed. */
async function checkDeclarations(t: Test, directory: string, embedder: string): Promise<void> {
  writeFileSync(join(embedder, 'guide.mts'), guideProgram());
  const typeRoots = join(directory, 'node_modules/@types');
  const options = '--strict --noEmit --module nodenext --target es2022 --types node --skipLibCheck false';
  const args = [tsc(directory), ...options.split(' '), '--typeRoots', typeRoots, 'guide.mts'];
  const { status, stdout } = await run(embedder, process.execPath, args);
  t.equal(status, 0, `strict, without skipLibCheck: ${stdout.slice(0, 4_000)}`);
}

function guideProgram(): string {
  const guide = readFileSync(join(home, 'docs/guides/embed.md'), 'utf8');
  return /```js file=main\.mjs\n([\s\S]*?)```/.exec(guide)?.[1] ?? 'none';
}

const LOAD = `import { createFetchHandler, nodeListener } from '@culprit/embed';
process.stdout.write(typeof createFetchHandler + ' ' + typeof nodeListener);`;

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const RESOLUTIONS = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const;

/** A consumer that imports every subpath, with all strict options; attw checks the declarations themselves. */
export async function checkTypes(t: Test, { directory }: Sandbox): Promise<void> {
  const folder = join(directory, 'types');
  mkdirSync(folder);
  const names = PACKAGES.flatMap((name) => {
    const text = readFileSync(join(directory, 'node_modules/@culprit', name, 'package.json'), 'utf8');
    const { exports } = JSON.parse(text) as { readonly exports: Record<string, unknown> };
    return Object.keys(exports)
      .filter((path) => path !== './package.json' && !path.includes('*'))
      .map((path) => `@culprit/${name}${path.slice(1)}`);
  });
  const imports = names.map(
    (name, at) => `import * as m${at} from '${name}';\nexport const n${at} = m${at};`,
  );
  writeFileSync(join(folder, 'consumer.mts'), `${imports.join('\n')}\n${USE}`);
  writeFileSync(join(folder, 'guide.mts'), guideProgram());
  const strict = ['--strict', '--noEmit', '--types', 'node', '--skipLibCheck', '--target', 'es2022'];
  const compiled = RESOLUTIONS.map(([module, resolution]) => {
    const how = ['--module', module, '--moduleResolution', resolution];
    return run(folder, process.execPath, [tsc(directory), ...how, ...strict, 'consumer.mts', 'guide.mts']);
  });
  for (const [at, [, resolution]] of RESOLUTIONS.entries()) {
    const ran = await compiled[at];
    t.equal(ran?.status, 0, `${resolution}: ${ran?.stdout.slice(0, 4_000)}`);
  }
}

export const tsc = (directory: string) => join(directory, 'node_modules/typescript/bin/tsc');

const USE = `import { createEngine, type Run } from '@culprit/core';
import { defineConnector } from '@culprit/core/connector';
import { createFetchHandler, type FetchHandler } from '@culprit/embed';
export const own = defineConnector({ id: 'own', config: {} as never, setup: () => ({}) });
export async function mount(run: Run): Promise<FetchHandler> {
  const engine = await createEngine({ connectors: [] });
  const state: 'published' | string = run.state;
  const ingested = await engine.ingest({
    crash: { level: 'error', exception: { values: [{ type: 'E', stacktrace: { frames: [{ lineno: 1 }] } }] } },
  });
  // @ts-expect-error A line is a number.
  await engine.ingest({ crash: { exception: { values: [{ stacktrace: { frames: [{ lineno: '1' }] } }] } } });
  // @ts-expect-error A crash is an object.
  await engine.ingest({ crash: 'boom' });
  // @ts-expect-error Only an accepted crash always has a run.
  await engine.run(ingested.run_id);
  if (ingested.outcome === 'accepted') await engine.run(ingested.run_id);
  return createFetchHandler({ engine, publicUrl: state, reviewers: [] });
}
`;

/** Module, a program that needs it, and the expected error. */
const VENDORS = [
  ...['@octokit/rest', '@octokit/graphql'].map(
    (name) =>
      [
        name,
        "import { github as c } from '@culprit/connectors/github'; const config = { token: 't', apiUrl: 'http://127.0.0.1:1' };",
      ] as const,
  ),
  [
    '@octokit/auth-app',
    "import { generateKeyPairSync } from 'node:crypto'; import { github as c } from '@culprit/connectors/github'; const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }); const config = { app: { id: '1', privateKey }, apiUrl: 'http://127.0.0.1:1' };",
  ],
  ['ollama', "import { ollama as c } from '@culprit/connectors/ollama'; const config = { model: 'm' };"],
  [
    '@slack/web-api',
    "import { slack as c } from '@culprit/connectors/slack'; const config = { botToken: 't', channel: 'C1', apiUrl: 'http://127.0.0.1:1/api/' };",
  ],
  [
    '@keyv/redis',
    "import { storage as c } from '@culprit/connectors/storage'; const config = { url: 'redis://127.0.0.1:1/0' };",
  ],
  [
    'classic-level',
    "import { storage as c } from '@culprit/connectors/storage'; const config = { url: 'file:.vendor' };",
  ],
] as const;

/** A vendor library that is not installed matters only when it is used; then the error says what to install. */
export async function checkVendors(t: Test, { directory }: Sandbox): Promise<void> {
  for (const [name, source] of VENDORS) {
    const place = join(directory, 'node_modules', name);
    writeFileSync(join(directory, 'vendor.mjs'), `${source}\n${ASK}`);
    renameSync(place, `${place}.away`);
    const { status, stdout, stderr } = await run(directory, process.execPath, ['vendor.mjs']).finally(() =>
      renameSync(`${place}.away`, place),
    );
    t.equal(status, 0, stderr);
    t.match(stdout, `npm install ${name}`, name);
  }
  const native = join(directory, 'node_modules/uWebSockets.js');
  renameSync(native, `${native}.away`);
  const bin = join(directory, 'node_modules/@culprit/host/dist/bin/culprit.js');
  const free = { EDGE_PORT: '0', CORE_PORT: '0', HTTP_DRIVER: 'uws' };
  const up = await run(directory, process.execPath, [bin, 'up'], free).finally(() =>
    renameSync(`${native}.away`, native),
  );
  t.match(up, {
    status: 1,
    stderr: /uWebSockets\.js cannot be loaded: it is not installed; run `npm install`\. Set HTTP_DRIVER=auto/,
  });
}

const ASK = `const context = { fetch, logger: { debug() {}, info() {}, warn() {}, error() {} }, signal: AbortSignal.timeout(5000) };
try {
  const parts = await c(config).setup(context);
  const checks = await parts.check?.(context.signal);
  console.log(JSON.stringify(checks));
  await parts.codeHost?.tree('a/b', { commit: null, release: null, at: new Date().toISOString() }, context.signal);
} catch (error) {
  console.log(String(error));
}
`;
