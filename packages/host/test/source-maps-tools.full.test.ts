import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@culprit/client';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../faults/lib/folders.mjs';
import { culprit, ROOT } from './support/run-culprit.js';
import { up } from './support/up.js';

t.setTimeout(600_000);
const run = promisify(execFile);
const { getPath } = createRequire(import.meta.url)('@sentry/cli') as { getPath(): string };

/** The same program for every bundler: it crashes in `src/cart.js` of the repository. */
const APP = (dsn: string, release: string) => `
import * as Sentry from '@sentry/node';
import { total } from './src/cart.js';
Sentry.init({ dsn: ${JSON.stringify(dsn)}, release: ${JSON.stringify(release)}, defaultIntegrations: false });
function checkout(items) {
  return total(items) + 1;
}
try {
  checkout([{ price: 1 }]);
} catch (error) {
  Sentry.captureException(error);
}
await Sentry.flush(20_000);
`;

interface Bench {
  readonly client: ReturnType<typeof createClient>;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** A folder with the program's sources. */
  program(name: string, release: string): string;
}

async function bench(t: Test): Promise<Bench> {
  const folder = temporaryFolder(t, 'maps');
  const servers = await up(folder);
  t.teardown(servers.stop);
  const { reviewerToken, sdkKey } = JSON.parse(readFileSync(join(servers.data, 'secrets.json'), 'utf8'));
  const edge = new URL(servers.edge);
  return {
    folder,
    client: createClient({ url: servers.core, token: reviewerToken }),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      CULPRIT_URL: servers.core,
      CULPRIT_TOKEN: reviewerToken,
      SENTRY_URL: servers.core,
      SENTRY_AUTH_TOKEN: reviewerToken,
      SENTRY_ORG: 'culprit',
      SENTRY_PROJECT: 'default',
      SENTRY_DISABLE_UPDATE_CHECK: '1',
    },
    program(name, release) {
      const program = join(folder, name);
      mkdirSync(program);
      cpSync(join(folder, 'shop/src'), join(program, 'src'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'));
      writeFileSync(join(program, 'package.json'), '{"type":"module"}');
      writeFileSync(join(program, 'app.js'), APP(`http://${sdkKey}@${edge.host}/1`, release));
      return program;
    },
  };
}

/** Runs the built program, and resolves with the run that its crash started. */
async function crash({ client, env }: Bench, program: string, built: string): Promise<string> {
  const before = new Set((await client.runs({})).runs.map(({ run_id }) => run_id));
  await run(process.execPath, [built], { cwd: program, env });
  for (;;) {
    const fresh = (await client.runs({})).runs.find(({ run_id }) => !before.has(run_id));
    if (fresh !== undefined) return fresh.run_id;
    await sleep(50);
  }
}

/** The original of the crashed frame is found, is the repository's line, and leads to its commit. */
async function checkOriginal(t: Test, { client }: Bench, id: string): Promise<void> {
  await client.approveGateOne(id);
  const [found, stack] = await Promise.all([client.run(id), client.stack(id)]);
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
  const { build } = await import('esbuild');
  const outfile = join(program, 'dist/app.min.js');
  const common = {
    entryPoints: [join(program, 'app.js')],
    bundle: true,
    minify: true,
    external: ['@sentry/*'],
  };
  await build({ ...common, outfile, platform: 'node', format: 'esm', sourcemap: true });
  const id = await crash(setup, program, outfile);
  await client.approveGateOne(id);
  const command = 'culprit sourcemaps upload dist --release shop@1.0.0';
  t.match((await client.stack(id))?.missing_source_maps, [{ code: 'no_source_map', command }]);
  const shown = await culprit(['runs', 'show', id], { env });
  t.match(shown.stdout, `no source map for`);
  t.match(shown.stdout, command);
  const uploaded = await culprit(['sourcemaps', 'upload', join(program, 'dist'), '--release', 'shop@1.0.0'], {
    env,
  });
  t.match(uploaded, { code: 0, stdout: /^Uploaded the source maps of 1 built file of release shop@1\.0\.0/ });
  await client.rejectGateTwo(id, 'Again, with the source map.', 'staged_raw');
  await checkOriginal(t, setup, id);
  t.equal((await client.stack(id))?.missing_source_maps, undefined);
  const again = await culprit(['runs', 'show', id], { env });
  t.notMatch(again.stdout, 'no source map');
  const list = await culprit(['sourcemaps', 'list'], { env });
  t.match(list.stdout, /shop@1\.0\.0 +1 +\d+ KiB/);
  const { uploads } = JSON.parse((await culprit(['sourcemaps', '--json'], { env })).stdout);
  t.match(await culprit(['sourcemaps', 'delete', uploads[0].id], { env }), {
    code: 0,
    stdout: 'Deleted 1 upload',
  });
  t.match(await culprit(['sourcemaps', 'delete', uploads[0].id], { env }), { code: 3 });
  t.match(await culprit(['sourcemaps', 'upload', join(program, 'dist')], { env }), {
    code: 2,
    stderr: /app\.min\.js has no debug id.*--release/s,
  });
  t.match(await culprit(['sourcemaps', 'upload', join(program, 'src'), '--release', '1'], { env }), {
    code: 3,
  });
  t.match(await culprit(['sourcemaps', 'upload', 'nowhere'], { env }), { code: 3 });
});

t.test(
  'sentry-cli inject and upload, and the plugins of esbuild, Vite and webpack: by debug id',
  async (t) => {
    const setup = await bench(t);
    const { env, client } = setup;
    const plugin = (release: string) => ({
      ...{
        url: env.SENTRY_URL ?? '',
        authToken: env.SENTRY_AUTH_TOKEN ?? '',
        org: 'culprit',
        project: 'default',
      },
      ...{
        telemetry: false,
        silent: true,
        release: { name: release, create: false, finalize: false, inject: false },
      },
    });
    const external = ['@sentry/node'];
    const { build } = await import('esbuild');

    const plain = setup.program('plain', 'cli@1');
    const outfile = join(plain, 'dist/app.js');
    const options = { bundle: true, minify: true, platform: 'node', format: 'esm', sourcemap: true } as const;
    await build({ ...options, entryPoints: [join(plain, 'app.js')], outfile, external });
    for (const verb of ['inject', 'upload'])
      await run(getPath(), ['sourcemaps', verb, join(plain, 'dist')], { cwd: plain, env });
    await checkOriginal(t, setup, await crash(setup, plain, outfile));

    const { sentryEsbuildPlugin } = await import('@sentry/esbuild-plugin');
    const fast = setup.program('fast', 'esbuild@1');
    const fastOut = join(fast, 'dist/app.js');
    const plugins = [sentryEsbuildPlugin(plugin('esbuild@1'))];
    await build({ ...options, entryPoints: [join(fast, 'app.js')], outfile: fastOut, external, plugins });
    await checkOriginal(t, setup, await crash(setup, fast, fastOut));

    const { sentryVitePlugin } = await import('@sentry/vite-plugin');
    const vite = await import('vite');
    const web = setup.program('vite', 'vite@1');
    await vite.build({
      root: web,
      logLevel: 'silent',
      configFile: false,
      plugins: [sentryVitePlugin(plugin('vite@1'))],
      build: {
        ssr: 'app.js',
        sourcemap: true,
        minify: 'esbuild',
        outDir: 'dist',
        rollupOptions: { external },
      },
    });
    await checkOriginal(t, setup, await crash(setup, web, join(web, 'dist/app.js')));

    const { sentryWebpackPlugin } = await import('@sentry/webpack-plugin');
    const { default: webpack } = await import('webpack');
    const packed = setup.program('webpack', 'webpack@1');
    await new Promise<void>((resolve, reject) => {
      webpack(
        {
          ...{
            mode: 'production',
            target: 'node20',
            context: packed,
            entry: './app.js',
            devtool: 'source-map',
          },
          experiments: { outputModule: true },
          externalsType: 'module',
          externals: external,
          output: { path: join(packed, 'dist'), filename: 'app.mjs', module: true, chunkFormat: 'module' },
          plugins: [sentryWebpackPlugin(plugin('webpack@1'))],
        },
        (error, stats) => {
          if (error !== null || stats?.hasErrors()) reject(error ?? new Error(stats?.toString()));
          else resolve();
        },
      );
    });
    await checkOriginal(t, setup, await crash(setup, packed, join(packed, 'dist/app.mjs')));
    const { uploads } = await client.sourceMaps.list();
    t.equal(uploads.length, 4, 'one upload each');
  },
);
