import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openai } from '@culprit/connectors/openai';
import { type Connector, silentLogger } from '@culprit/core';
import { memoryPublisher } from '@culprit/core/testing';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { KEY, MODEL, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { buildRecipe } from '../src/replay/recipe.js';
import { openSourceMaps } from '../src/source-maps/store.js';
import { uploadSourceMaps } from '../src/source-maps/upload-source-maps.js';
import { axe, boardBench, CHROMIUM, decisionKey, overflow, signIn, visit } from './support/board-bench.js';
import { type CoreBench, TOKEN } from './support/core-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const ADA = { name: 'ada', via: 'board' } as const;
const HOSTILE = '<img src=x onerror="window.pwned=1"> \u202Eevil';

const dialog = (page: Page) => page.getByRole('dialog');
const gate = (page: Page, name: string) => page.locator(`.gate-bar[data-gate="${name}"]`);

async function openRun(page: Page, id: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
  await page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();
}

/** The page of a session with these scopes only. What core refuses is in access.full.test.ts. */
async function visitWith(
  t: Parameters<typeof visit>[0],
  { core, api }: CoreBench,
  scopes: readonly string[],
) {
  const seen = await visit(t, core.url);
  const { json } = await api({ path: '/api/v1/session' });
  await seen.page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { ...json, scopes, grants: [{ scopes, projects: null }] } })
      : route.fallback(),
  );
  await signIn(seen.page);
  return seen;
}

t.test('a session that only reads has no editor, and says why it records no release', { skip }, async (t) => {
  const bench = await boardBench(t);
  const id = await bench.stage();
  await bench.engine.approveGateOne(id, ADA);
  const { page } = await visitWith(t, bench, ['read']);
  await openRun(page, id);
  await page.getByRole('tab', { name: 'Preview' }).waitFor();
  t.equal(await page.getByRole('tab', { name: 'Edit' }).count(), 0);
  await page.evaluate("location.hash = '#/releases'");
  await page.getByText('It needs the scope “release”.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Record a release' }).count(), 0);
});

t.test('a published issue is compared with its evidence, by keyboard and on a phone', { skip }, async (t) => {
  const publisher = memoryPublisher();
  const change = (real: readonly Connector[]): readonly Connector[] => [
    ...real.filter(({ id }) => id !== 'outbox'),
    { id: 'github', setup: () => ({ publisher }) },
  ];
  const { core, engine, stage } = await boardBench(t, { change, publishRepository: 'acme/shop' });
  const id = await stage();
  await engine.approveGateOne(id, ADA);
  const { draft } = await engine.run(id);
  await engine.approveGateTwo(id, ADA, { digest: draft?.digest });
  const { page, problems } = await visit(t, core.url, 390, 800);
  await signIn(page);
  await openRun(page, id);
  await gate(page, 'Published').waitFor();
  await page.keyboard.press('v');
  await dialog(page).getByText('matches its evidence and signature.').waitFor();
  t.equal(await dialog(page).locator('.checks [data-ok]').count(), 6);
  t.same(await axe(page), []);
  t.equal(await overflow(page), 0);

  publisher.editIssue(1, HOSTILE, { title: HOSTILE, labels: [HOSTILE] });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('was changed on the code host: title, labels.').waitFor();
  await dialog(page).locator('.checks li', { hasText: '⟨202e⟩evil' }).waitFor();
  await dialog(page)
    .locator('.callout', { hasText: /Last edited .* by <img .*⟨202e⟩evil\.$/ })
    .waitFor();
  t.equal(await dialog(page).locator('img').count(), 0);
  t.equal(await page.evaluate('window.pwned'), undefined);

  publisher.failNextLook();
  await dialog(page).getByRole('button', { name: 'Compare again' }).click();
  await dialog(page).getByText('Not compared: The code host did not respond.').waitFor();
  publisher.removeIssue(1);
  await dialog(page).getByRole('button', { name: 'Compare again' }).click();
  await dialog(page).getByText('no longer exists').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  t.equal((await engine.run(id)).state, 'published');
  t.same(problems, []);
});

t.test(
  'releases and deploys are recorded by keyboard, and a refusal stands at its field',
  {
    skip,
  },
  async (t) => {
    const { core, engine, repository, api } = await boardBench(t, { moreProjects: ['shop'] });
    const { page } = await visit(t, core.url);
    await signIn(page);
    await page.evaluate("location.hash = '#/releases?project=shop'");
    await page.getByRole('button', { name: 'Record a release' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#release-version:focus').waitFor();
    await page.keyboard.insertText('shop@2.4.1');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('no such tag');
    await page.keyboard.press('Enter');
    await page.locator('#release-commit:focus[aria-invalid=true]').waitFor();
    await page
      .locator('#release-commit-problem', { hasText: 'must be a SHA or the name of a tag' })
      .waitFor();
    t.same(await axe(page), []);
    await page.locator('#release-commit').fill(repository.head);
    await page.getByLabel('Deployed to').fill('production');
    await page.getByLabel('Deployed at').fill('2026-11-20T09:30');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop@2.4.1' }).waitFor();
    const recorded = async (version: string) =>
      (await api({ path: `/api/v1/releases/shop/${encodeURIComponent(version)}` })).json.release;
    t.match(await recorded('shop@2.4.1'), {
      commit: repository.head,
      deploys: [{ environment: 'production', finished_at: '2026-11-20T09:30:00.000Z' }],
    });

    await page.getByRole('button', { name: 'Record a deploy' }).click();
    await page.locator('#deploy-environment:focus').waitFor();
    await page.keyboard.insertText('a\u0007b');
    await page.keyboard.press('Enter');
    await page.locator('#deploy-environment-problem').waitFor();
    t.same(await axe(page), []);
    await page.locator('#deploy-environment').fill('staging');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'staging' }).waitFor();
    await page.getByRole('button', { name: 'Record a deploy' }).waitFor();

    await engine.ingest({
      crash: { event_id: 'named-by-a-crash', message: 'boom', release: 'shop@2.5.0' },
      project: 'shop',
    });
    await page.evaluate("location.hash = '#/releases/shop/shop%402.5.0'");
    await page.getByRole('button', { name: 'Record this release' }).click();
    await page.locator('#release-version:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Deploys' }).waitFor();
    t.equal((await recorded('shop@2.5.0')).version, 'shop@2.5.0');

    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await press('Set its commits');
    await page.locator('#release-commits-commit:focus').waitFor();
    await page.keyboard.insertText('no such tag');
    await page.keyboard.press('Enter');
    await page.locator('#release-commits-commit:focus[aria-invalid=true]').waitFor();
    t.same(await axe(page), []);
    await page.locator('#release-commits-commit').fill(repository.head);
    await page.keyboard.press('Enter');
    await page.getByText(`, at ${repository.head.slice(0, 10)}`).waitFor();
    await press('Finalise');
    await page.getByRole('button', { name: 'Finalise' }).waitFor({ state: 'detached' });
    await press('Archive');
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    const changed = await recorded('shop@2.5.0');
    t.match(changed, { commit: repository.head, finalised_at: String, archived: true });
    await press('Restore');
    await page.getByRole('button', { name: 'Archive' }).waitFor();
    await press('Delete…');
    await dialog(page).getByText('shop@2.5.0').waitFor();
    t.same(await axe(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Record this release' }).waitFor();
    t.equal(await recorded('shop@2.5.0'), null, 'its crashes still name it');
    await page.evaluate("location.hash = '#/releases/shop/shop%402.4.1'");
    await press('Delete…');
    await dialog(page).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor();
    t.equal(page.url(), `${core.url}/#/releases`, 'nothing is left of it');
  },
);

function mapStore(t: Test) {
  const store = openSourceMaps({
    directory: join(temporaryFolder(t, 'maps'), 'source-maps'),
    ...{ quotaBytes: 1024 ** 3, keepMs: 86_400_000, logger: silentLogger },
  });
  t.teardown(() => store.close());
  return store;
}

t.test('built code is told as such: before Gate 1, after an upload, and on demand', { skip }, async (t) => {
  const shop = join(temporaryFolder(t, 'bundled'), 'shop');
  const source = 'export function quote(order) {\n  return order.total();\n}\n';
  const commit = { author: 'Ada Quist', at: '2026-11-17T10:24:00Z', title: 'Quote', tag: 'v1' };
  buildRecipe([{ ...commit, write: { 'src/quote.js': source } }], shop);
  const { outputFiles } = await build({
    ...{ entryPoints: [join(shop, 'src/quote.js')], outfile: join(shop, 'assets/pay.min.js'), write: false },
    ...{ minify: true, format: 'esm', sourcemap: 'external', logLevel: 'silent' },
  });
  const [map = '', code = ''] = outputFiles.map(({ text }) => text);
  const sourceMaps = mapStore(t);
  const { core, engine } = await boardBench(t, { sourceMaps, codeIn: shop });
  const frame = {
    ...{ filename: 'assets/pay.min.js', function: 'n', in_app: true, lineno: 1 },
    ...{ colno: code.indexOf('total') + 1, context_line: `${code.trim()}${'a();'.repeat(200)}` },
  };
  const values = [{ type: 'TypeError', value: 'no total', stacktrace: { frames: [frame] } }];
  const crash = { event_id: 'bundled', platform: 'javascript', release: 'v1', exception: { values } };
  const run = (await engine.ingest({ crash })).run_id ?? '';
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openRun(page, run);
  const stack = page.locator('section', { has: page.locator('#crash') });
  await stack.getByText('There is no source map for assets/pay.min.js of release v1.').waitFor();
  await stack.getByText('culprit sourcemaps upload dist --release v1', { exact: true }).waitFor();
  await stack.getByText('Upload it before you approve Gate 1').waitFor();
  t.same(await axe(page), []);
  const missing = [{ code: 'no_source_map', file: 'assets/pay.min.js' }];
  t.match(await engine.stack(run), { exception: 0, frames: [], missing_source_maps: missing });

  const built = { name: 'pay.min.js', mapPath: join(shop, 'pay.min.js.map'), debug_id: null };
  writeFileSync(built.mapPath, map);
  await uploadSourceMaps(
    { url: core.url, token: TOKEN },
    { files: [built], project: 'default', release: 'v1', dist: null, urlPrefix: '~/' },
  );
  t.same((await engine.stack(run)).missing_source_maps ?? [], [], 'nothing is missing any more');
  await page.reload();
  await openRun(page, run);
  await stack.getByText('Minified, shown at column').waitFor();
  t.equal(await stack.getByText('no source map').count(), 0);

  await decisionKey(page, 'a');
  await dialog(page).waitFor();
  await page.keyboard.press('Enter');
  await gate(page, 'Gate 2').waitFor();
  await stack.getByText('src/quote.js:2').first().waitFor();
  await stack.getByRole('button', { name: 'Minified' }).click();
  await stack.getByText('assets/pay.min.js:1').first().waitFor();
  await stack.getByText('Minified, shown at column').waitFor();
  t.equal(await stack.getByText('no source map').count(), 0, 'it has one');
  t.same(await axe(page), []);
  t.same(problems, []);
});

t.test('Settings say what the model keeps to, and whether there is one', { skip }, async (t) => {
  const claims = [
    { text: `It crashed ${HOSTILE}`, cites: [{ evidence: 'run', quote: 'platform' }] },
    { text: `Guessed ${HOSTILE}`, cites: [{ evidence: HOSTILE, quote: 'nowhere' }] },
  ];
  const double = await openaiDouble('llamacpp', () => JSON.stringify({ insufficient: false, claims }));
  const model = openai({
    url: double.url,
    model: MODEL,
    apiKey: KEY,
    failureLimit: 100,
    probeAtStart: true,
  });
  const change = (real: readonly Connector[]) =>
    real.flatMap((one) => (one.id === 'template' ? [model, one] : [one]));
  const bench = await boardBench(t, { change });
  t.teardown(() => double.close());
  const { core, engine } = bench;
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  while (engine.model()?.state !== 'usable') await new Promise((resolve) => setTimeout(resolve, 10));
  await page.evaluate("location.hash = '#/settings/model'");
  await page.getByRole('heading', { name: MODEL }).waitFor();
  t.equal(await page.locator('.cards > li').count(), 3);
  t.equal(await overflow(page), 0);
  t.same(await axe(page), []);

  const { page: without } = await visit(t, (await boardBench(t)).core.url);
  await signIn(without);
  await without.evaluate("location.hash = '#/settings/model'");
  await without.getByRole('heading', { name: 'No model is configured' }).waitFor();
  t.same(await axe(without), []);
  t.same(problems, []);
});
