import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { home, install, type PackageName, run, type Shop } from './shop.js';

const bin = (name: string) => join(home, 'node_modules/.bin', name);

/** publint and are-the-types-wrong on the very tarballs that would be published. */
export function checkTarballs(t: Test, { directory, tarballs }: Shop): void {
  for (const tarball of Object.values(tarballs)) {
    const lint = run(directory, bin('publint'), ['run', tarball, '--strict']);
    t.equal(lint.status, 0, `publint: ${lint.stdout}${lint.stderr}`);
    const types = run(directory, bin('attw'), [tarball, '--profile', 'esm-only']);
    t.equal(types.status, 0, `attw: ${types.stdout}${types.stderr}`);
  }
}

/** No script runs when somebody installs us. */
export function checkScripts(t: Test, { directory }: Shop): void {
  for (const name of ['core', 'connectors', 'host'] satisfies PackageName[]) {
    const folder = join(directory, 'node_modules/@culprit', name);
    const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    t.strictSame(Object.keys(scripts), [], name);
    t.notOk(readdirSync(folder).includes('src') && name === 'core', 'no sources');
    t.notOk(readdirSync(folder).includes('binding.gyp'));
  }
}

const MOST_BYTES = 5 * 1024 * 1024;

/** Core alone, with all that it needs. */
export function checkSize(t: Test, { directory, tarballs }: Shop): void {
  const alone = join(directory, 'core-alone');
  mkdirSync(alone);
  writeFileSync(join(alone, 'package.json'), '{"name":"alone","private":true}');
  install(alone, [tarballs.core]);
  const bytes = sizeOf(join(alone, 'node_modules'));
  t.ok(bytes < MOST_BYTES, `core installs in ${bytes} bytes`);
  t.comment(`core alone: ${(bytes / 1024 / 1024).toFixed(2)} MB`);
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const RESOLUTIONS = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const;

/** A consumer that names every subpath, as strict as the compiler can be; what stands in the declarations themselves attw looks at. */
export function checkTypes(t: Test, { directory }: Shop): void {
  const folder = join(directory, 'types');
  mkdirSync(folder);
  const names = (['core', 'connectors', 'host'] satisfies PackageName[]).flatMap((name) => {
    const text = readFileSync(join(directory, 'node_modules/@culprit', name, 'package.json'), 'utf8');
    const { exports } = JSON.parse(text) as { readonly exports: Record<string, unknown> };
    return Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => `@culprit/${name}${path.slice(1)}`);
  });
  const imports = names.map(
    (name, at) => `import * as m${at} from '${name}';\nexport const n${at} = m${at};`,
  );
  writeFileSync(join(folder, 'consumer.mts'), `${imports.join('\n')}\n${USE}`);
  for (const [module, moduleResolution] of RESOLUTIONS) {
    const options = ['--module', module, '--moduleResolution', moduleResolution, '--target', 'es2022'];
    const strict = ['--strict', '--noEmit', '--types', 'node', '--skipLibCheck'];
    const { status, stdout } = run(folder, process.execPath, [
      join(directory, 'node_modules/typescript/bin/tsc'),
      ...options,
      ...strict,
      'consumer.mts',
    ]);
    t.equal(status, 0, `${moduleResolution}: ${stdout.slice(0, 4_000)}`);
  }
}

const USE = `import { createEngine, defineConnector, type Run } from '@culprit/core';
import { createFetchHandler, type FetchHandler } from '@culprit/host/fetch';
export const own = defineConnector({ id: 'own', config: {} as never, setup: () => ({}) });
export async function mount(run: Run): Promise<FetchHandler> {
  const engine = await createEngine({ connectors: [] });
  const state: 'published' | string = run.state;
  return createFetchHandler({ engine, publicUrl: state, reviewers: [] });
}
`;

/** Module, a program that needs it, and what the error must say. */
const VENDORS = [
  ['ollama', "import { ollama as c } from '@culprit/connectors/ollama'; const config = { model: 'm' };"],
  [
    '@octokit/rest',
    "import { github as c } from '@culprit/connectors/github'; const config = { token: 't', repository: 'a/b' };",
  ],
  [
    'classic-level',
    "import { keyv as c } from '@culprit/connectors/keyv'; const config = { url: 'file:.vendor' };",
  ],
] as const;

/** A vendor's library that is not there harms nobody until it is needed, and then the error says what to do. */
export function checkVendors(t: Test, { directory }: Shop): void {
  for (const [name, source] of VENDORS) {
    const place = join(directory, 'node_modules', name);
    writeFileSync(join(directory, 'vendor.mjs'), `${source}\n${ASK}`);
    renameSync(place, `${place}.away`);
    const { status, stdout, stderr } = run(directory, process.execPath, ['vendor.mjs']);
    renameSync(`${place}.away`, place);
    t.equal(status, 0, stderr);
    t.match(stdout, `npm install ${name}`, name);
  }
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
