import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@culprit/client';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { findBuiltFiles } from '../src/source-maps/find-built-files.js';
import { uploadSourceMaps } from '../src/source-maps/upload-source-maps.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import { BIN, culprit, ROOT } from './support/run-culprit.js';
import { ID, open, signal } from './support/source-maps-kit.js';
import { up } from './support/up.js';

t.setTimeout(600_000);
const run = promisify(execFile);
const { getPath } = createRequire(import.meta.url)('@sentry/cli') as { getPath(): string };

const EXAMPLE = join(ROOT, 'examples/source-maps');
/** What `npm install` and a build leave in the example. */
const LEFT = [join(EXAMPLE, 'node_modules'), join(EXAMPLE, 'dist')];

interface Bench {
  readonly client: ReturnType<typeof createClient>;
  readonly env: Readonly<Record<string, string>>;
  /** A copy of the example with the sources of the repository. */
  program(name: string, release: string): Program;
}

interface Program {
  readonly folder: string;
  readonly built: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a script of the example's package.json. */
  build(script: 'esbuild' | 'vite' | 'webpack', more?: Readonly<Record<string, string>>): Promise<void>;
}

async function bench(t: Test): Promise<Bench> {
  const folder = temporaryFolder(t, 'maps');
  const servers = await up(folder);
  t.teardown(servers.stop);
  const { reviewerToken, sdkKey } = JSON.parse(readFileSync(join(servers.data, 'secrets.json'), 'utf8'));
  const edge = new URL(servers.edge);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CULPRIT_URL: servers.core,
    CULPRIT_TOKEN: reviewerToken,
    SENTRY_URL: servers.core,
    SENTRY_AUTH_TOKEN: reviewerToken,
    SENTRY_ORG: 'culprit',
    SENTRY_PROJECT: 'default',
    SENTRY_DISABLE_UPDATE_CHECK: '1',
    npm_config_update_notifier: 'false',
  };
  return {
    client: createClient({ url: servers.core, token: reviewerToken }),
    env,
    program(name, release) {
      const program = join(folder, name);
      cpSync(EXAMPLE, program, { recursive: true, filter: (path) => !LEFT.includes(path) });
      cpSync(join(folder, 'shop/src'), join(program, 'src'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'));
      const dsn = `http://${sdkKey}@${edge.host}/1`;
      const ofProgram = { ...env, SENTRY_DSN: dsn, SENTRY_RELEASE: release };
      return {
        folder: program,
        built: join(program, 'dist/app.js'),
        env: ofProgram,
        async build(script, more = {}) {
          await run('npm', ['run', '--silent', script], { cwd: program, env: { ...ofProgram, ...more } });
        },
      };
    },
  };
}

/** Runs the built program, and resolves with the run that its crash started. */
async function crash({ client }: Bench, { folder, built, env }: Program): Promise<string> {
  const before = new Set((await client.listRuns()).runs.map(({ run_id }) => run_id));
  await run(process.execPath, [built], { cwd: folder, env });
  for (;;) {
    const fresh = (await client.listRuns()).runs.find(({ run_id }) => !before.has(run_id));
    if (fresh !== undefined) return fresh.run_id;
    await sleep(50);
  }
}

/** The original of the crashed frame is found, is the repository's line, and leads to its commit. */
async function checkOriginal(t: Test, { client }: Bench, id: string): Promise<void> {
  await client.approveGateOne({ run_id: id });
  const [found, stack] = await Promise.all([client.getRun({ run_id: id }), client.getStack({ run_id: id })]);
  const crashed = found.event.exceptions[0]?.frames.at(-1);
  t.notMatch(crashed?.file, 'cart.js', 'the crash names the built file');
  const original = stack?.originals?.at(-1);
  t.match(original, { file: /src\/cart\.js$/, line: 4 });
  t.match(original?.source?.lines.join('\n'), 'items[0].tax.rate');
  t.match(stack?.frames[0], { path: 'src/cart.js', line: 4, verified: true });
  t.equal(found.suspects[0]?.title, 'feat: totals carry tax');
  t.match(found.draft?.body, '`src/cart.js:4`');
}

t.test('esbuild, then culprit sourcemaps upload: said what is missing, then found by release', async (t) => {
  const setup = await bench(t);
  const { client, env } = setup;
  const program = setup.program('esbuild', 'shop@1.0.0');
  const dist = join(program.folder, 'dist');
  await program.build('esbuild', { CULPRIT_TOKEN: '' });
  const id = await crash(setup, program);
  await client.approveGateOne({ run_id: id });
  const command = 'culprit sourcemaps upload dist --release shop@1.0.0';
  t.match((await client.getStack({ run_id: id }))?.missing_source_maps, [{ code: 'no_source_map', command }]);
  const shown = await culprit(['runs', 'show', id], { env });
  t.match(shown.stdout, `no source map for`);
  t.match(shown.stdout, command);
  const bin = join(program.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'culprit'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  });
  const printed = /^ *upload +(culprit .+)$/m.exec(shown.stdout)?.[1] ?? '';
  t.equal(printed, command);
  const uploaded = await run('sh', ['-c', printed], {
    cwd: program.folder,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
  });
  t.match(uploaded.stdout, /^Uploaded the source maps of 1 built file of release shop@1\.0\.0/);
  await client.rejectGateTwo({ run_id: id, reason: 'Again, with the source map.', to: 'staged_raw' });
  await checkOriginal(t, setup, id);
  t.equal((await client.getStack({ run_id: id }))?.missing_source_maps, undefined);
  const again = await culprit(['runs', 'show', id], { env });
  t.notMatch(again.stdout, 'no source map');
  const list = await culprit(['sourcemaps', 'list'], { env });
  t.match(list.stdout, /shop@1\.0\.0 +1 +\d+ KiB/);
  t.match(list.stdout, /of 2048 MiB used\. Uploads are deleted 90 days after their last use\./);
  const { uploads } = JSON.parse((await culprit(['sourcemaps', '--json'], { env })).stdout);
  t.match(await culprit(['sourcemaps', 'delete', uploads[0].id], { env }), {
    code: 0,
    stdout: 'Deleted 1 upload',
  });
  t.match(await culprit(['sourcemaps', 'delete', uploads[0].id], { env }), { code: 3 });
  t.match(await culprit(['sourcemaps', 'upload', dist], { env }), {
    code: 2,
    stderr: /app\.js has no debug id.*--release/s,
  });
  t.match(await culprit(['sourcemaps', 'upload', join(program.folder, 'src'), '--release', '1'], { env }), {
    code: 3,
  });
  t.match(await culprit(['sourcemaps', 'upload', 'nowhere'], { env }), { code: 3 });
});

t.test(
  'sentry-cli inject and upload, and the plugins of esbuild, Vite and webpack: by debug id',
  async (t) => {
    const setup = await bench(t);
    const plain = setup.program('plain', 'cli@1');
    await plain.build('esbuild', { CULPRIT_TOKEN: '' });
    for (const verb of ['inject', 'upload'])
      await run(getPath(), ['sourcemaps', verb, 'dist'], { cwd: plain.folder, env: plain.env });
    await checkOriginal(t, setup, await crash(setup, plain));
    for (const bundler of ['esbuild', 'vite', 'webpack'] as const) {
      const program = setup.program(bundler, `${bundler}@1`);
      await program.build(bundler);
      await checkOriginal(t, setup, await crash(setup, program));
    }
    const { uploads } = await setup.client.listSourceMaps();
    t.equal(uploads.length, 4, 'one upload each');
  },
);

const mapOf = (source: string, more: object = {}) =>
  JSON.stringify({ version: 3, sources: [`../src/${source}`], names: [], mappings: 'AAAA', ...more });

/** A folder as a build leaves it: three files with maps, one of them over 6 MB, and what must be left out. */
function builtFolder(t: Test): string {
  const folder = join(temporaryFolder(t, 'built'), 'dist');
  const incompressible = randomBytes(5_000_000).toString('base64');
  const files: Readonly<Record<string, string>> = {
    'assets/app.js': 'boom();\n//# sourceMappingURL=../maps/app%20one.map\n',
    'maps/app one.map': mapOf('app.ts', { sourcesContent: [incompressible] }),
    'lib.js': `lib();\n//# debugId=${ID}\n`,
    'lib.js.map': mapOf('lib.ts'),
    'own.mjs': 'own();',
    'own.mjs.map': mapOf('own.ts', { debugId: ID.replace('7', '8').toUpperCase() }),
    'broken.js': 'broken();',
    'broken.js.map': '{"version":3}',
    'gone.js': 'gone();\n//# sourceMappingURL=gone.js.map',
    'outside.js': 'outside();\n//# sourceMappingURL=../../etc/passwd',
    'plain.js': 'plain();',
    'app.css': 'a {}',
    'node_modules/x/x.js': 'x();',
    'node_modules/x/x.js.map': mapOf('x.ts'),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

t.test('a folder is uploaded in pieces, each map once; what is left out has a reason', async (t) => {
  const { store } = open(t);
  const { host, close } = await coreBench({ sourceMaps: store });
  t.teardown(close);
  const { files, skipped } = findBuiltFiles(builtFolder(t));
  t.same(
    files.map(({ name }) => name),
    ['assets/app.js', 'lib.js', 'own.mjs'],
  );
  t.same(
    skipped.map((one) => one.split(':', 1)[0]),
    ['broken.js', 'gone.js', 'outside.js'],
  );
  const target = { url: `http://${host}`, token: TOKEN };
  const facts = { project: 'default', release: 'shop@2.4.1', dist: null };
  const options = { ...facts, files, urlPrefix: 'https://cdn.example/v2/' };
  await uploadSourceMaps(target, options);
  const place = { line: 1, column: 1 };
  const frames = [
    { names: ['https://cdn.example/v2/assets/app.js'], debug_id: null, ...place },
    { names: ['elsewhere.js'], debug_id: ID, ...place },
    { names: ['elsewhere.mjs'], debug_id: ID.replace('7', '8'), ...place },
  ];
  t.match(await store.originals({ ...facts, frames }, signal), [
    { status: 'mapped', original: { source: '../src/app.ts' } },
    { status: 'mapped', original: { source: '../src/lib.ts' } },
    { status: 'mapped', original: { source: '../src/own.ts' } },
  ]);
  await uploadSourceMaps(target, options);
  t.equal((await store.uploads()).length, 1, 'the same again is known');
});
