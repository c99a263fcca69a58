import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as zlib from 'node:zlib';
import { openai } from '@culprit/connectors/openai';
import { type Connector, silentLogger } from '@culprit/core';
import { memoryPublisher } from '@culprit/core/testing';
import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../faults/lib/folders.mjs';
import { KEY, MODEL, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { buildHistory } from '../src/demo/git-history.js';
import { findBuiltFiles } from '../src/source-maps/find-built-files.js';
import { openSourceMaps } from '../src/source-maps/store.js';
import { crc32 } from '../src/source-maps/web/crc32.js';
import {
  axe,
  boardBench,
  CHROMIUM,
  decisionKey,
  editDraft,
  overflow,
  signIn,
  visit,
} from './support/board-bench.js';
import type { CoreBench } from './support/core-bench.js';

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

t.test(
  'a triager proposes a change of the draft; the draft stays, also if it changed meanwhile',
  {
    skip,
  },
  async (t) => {
    const bench = await boardBench(t);
    const { engine, stage, api } = bench;
    const id = await stage();
    await engine.approveGateOne(id, ADA);
    const { draft } = await engine.run(id);
    const { page, problems } = await visitWith(t, bench, ['read', 'comment']);
    await openRun(page, id);
    await page.locator('#run-title').focus();
    await page.keyboard.press('e');
    await page.locator('#draft-body:focus').waitFor();
    t.equal(await page.locator('#draft-labels').count(), 0, 'a proposal has no labels');
    await page.locator('#draft-title').fill(`Carts crash ${HOSTILE}`);
    await page.locator('#draft-note').fill(`Names the cart ${HOSTILE}`);
    await editDraft(engine, id, 'Saved meanwhile');
    await page.getByRole('alert').filter({ hasText: 'grace changed this draft' }).waitFor();
    t.ok(await page.locator('.editor [type=submit]').isDisabled());
    t.same(await axe(page), []);
    await page.getByRole('button', { name: 'Propose mine all the same' }).click();
    await page.locator('.proposals li', { hasText: 'Names the cart' }).waitFor();
    t.equal(await page.locator('.proposals img').count(), 0);
    t.equal(await page.evaluate('window.pwned'), undefined);
    const now = (await engine.run(id)).draft;
    t.match(now, { title: 'Saved meanwhile', body: draft?.body });
    const { json } = await api({ path: `/api/v1/runs/${id}/proposals` });
    t.match(json.proposals, [{ by: 'ada', title: /^Carts crash/, body: draft?.body, digest: now?.digest }]);
    t.same(problems, []);
  },
);

t.test('a session that only reads has no editor, and says why it records no release', { skip }, async (t) => {
  const bench = await boardBench(t);
  const id = await bench.stage();
  await bench.engine.approveGateOne(id, ADA);
  const { page } = await visitWith(t, bench, ['read']);
  await openRun(page, id);
  await page.getByRole('tab', { name: 'Preview' }).waitFor();
  t.equal(await page.getByRole('tab', { name: /Edit|Propose/ }).count(), 0);
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
  await engine.approveGateTwo(id, ADA, draft?.digest);
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

const DEBUG_ID = '7eee3f7c-e6fc-5336-b284-2233eb25de5d';
const mapOf = (source: string, more: object = {}) =>
  JSON.stringify({ version: 3, sources: [`../src/${source}`], names: [], mappings: 'AAAA', ...more });

/** A folder as a build leaves it: three files with maps, one of them over 6 MB, and what must be left out. */
function builtFolder(t: Test): string {
  const folder = join(temporaryFolder(t, 'built'), 'dist');
  const incompressible = randomBytes(5_000_000).toString('base64');
  const files: Readonly<Record<string, string>> = {
    'assets/app.js': 'boom();\n//# sourceMappingURL=../maps/app%20one.map\n',
    'maps/app one.map': mapOf('app.ts', { sourcesContent: [incompressible] }),
    'lib.js': `lib();\n//# debugId=${DEBUG_ID}\n`,
    'lib.js.map': mapOf('lib.ts'),
    'own.mjs': 'own();',
    'own.mjs.map': mapOf('own.ts', { debugId: DEBUG_ID.replace('7', '8').toUpperCase() }),
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

function mapStore(t: Test, quotaBytes: number) {
  const store = openSourceMaps({
    directory: join(temporaryFolder(t, 'maps'), 'source-maps'),
    ...{ quotaBytes, keepMs: 86_400_000, logger: silentLogger },
  });
  t.teardown(() => store.close());
  return store;
}

const GIB = 1024 ** 3;
const uploadsPage = "location.hash = '#/settings/source-maps'";
const chooser = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input'));

t.test(
  'a folder with source maps is uploaded in pieces, by the rules of the command',
  { skip },
  async (t) => {
    const sourceMaps = mapStore(t, GIB);
    const { core } = await boardBench(t, { sourceMaps, moreProjects: ['shop'] });
    const folder = builtFolder(t);
    const { page, problems, requests } = await visit(t, core.url);
    await signIn(page);
    await page.evaluate(uploadsPage);
    await chooser(page, 'Choose a folder').setInputFiles(folder);
    const paired = page.locator('.paired');
    const uploaded = page.locator('.callout', { hasText: 'Uploaded the source maps of 3 built files.' });
    await paired.getByText('3 built files with a source map.').waitFor();
    const rules = findBuiltFiles(folder);
    const listed = async (selector: string, part: string) =>
      (await paired.locator(`.checks li${selector}`).locator(part).allTextContents()).map((one) =>
        one.trim(),
      );
    t.same(
      await listed('[data-ok]', '.name'),
      rules.files.map(({ name }) => name),
    );
    const skipped = await listed(':not([data-ok])', '.mark + span');
    t.same(
      skipped,
      rules.skipped.map((one) => one.replace(': ', ' ')),
    );
    t.equal(rules.skipped.length, 3);
    t.same(await axe(page), []);

    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.locator('#upload-release:focus[aria-invalid=true]').waitFor();
    await page.locator('#upload-release-problem', { hasText: 'assets/app.js has no debug id' }).waitFor();
    await page.getByLabel('Project').selectOption('shop');
    await page.locator('#upload-release').fill('shop@2.4.1');
    await page.locator('#upload-prefix').fill('cdn.example');
    await page.keyboard.press('Enter');
    await page.locator('#upload-prefix-problem', { hasText: 'must start with ~/' }).waitFor();
    await page.locator('#upload-prefix').fill('https://cdn.example/v2');
    await page.keyboard.press('Enter');
    await uploaded.waitFor();
    await page.locator('.cards li', { hasText: 'shop@2.4.1' }).getByText('3 built files').waitFor();
    const sent = requests.filter((url) => url.endsWith('/chunk-upload/')).length;
    t.ok(sent >= 3, `the limits, and ${sent - 1} requests with at most four chunks each`);

    const place = { line: 1, column: 1 };
    const outcomes = await sourceMaps.originals(
      {
        ...{ project: 'shop', release: 'shop@2.4.1', dist: null },
        frames: [
          { names: ['https://cdn.example/v2/assets/app.js'], debug_id: null, ...place },
          { names: ['elsewhere.js'], debug_id: DEBUG_ID, ...place },
        ],
      },
      new AbortController().signal,
    );
    t.match(outcomes, [
      { status: 'mapped', original: { source: '../src/app.ts' } },
      { status: 'mapped', original: { source: '../src/lib.ts' } },
    ]);

    // The same again: core has it, so nothing is sent.
    requests.length = 0;
    await chooser(page, 'Choose a folder').setInputFiles(folder);
    await paired.waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await uploaded.waitFor();
    t.equal(requests.filter((url) => url.endsWith('/chunk-upload/')).length, 1, 'only the limits');
    t.equal((await sourceMaps.uploads()).length, 1);
    t.same(problems, []);
  },
);

t.test('files are dropped on a phone; a full quota is said in words', { skip }, async (t) => {
  const sourceMaps = mapStore(t, 3_000);
  const { core } = await boardBench(t, { sourceMaps });
  const { page, problems } = await visit(t, core.url, 390, 800);
  await signIn(page);
  await page.evaluate(uploadsPage);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  const bundle = {
    'a<b>.js': 'a();',
    'a<b>.js.map': mapOf('a.ts', { sourcesContent: ['a\n'.repeat(2_000)] }),
  };
  const transfer = await page.evaluateHandle(`(() => {
    const made = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(bundle)})) made.items.add(new File([text], name));
    return made;
  })()`);
  await page.dispatchEvent('.drop', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
  await page.locator('.paired li', { hasText: 'a<b>.js' }).waitFor();
  await page.locator('#upload-release').fill('2.4.1');
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .filter({ hasText: /uploads of source maps have reached the quota/ })
    .waitFor();
  t.same(await axe(page), []);
  t.equal(await overflow(page), 0);
  await page.locator('.paired li', { hasText: 'a<b>.js' }).waitFor();
  t.same(await sourceMaps.uploads(), []);

  await chooser(page, 'Choose files').setInputFiles({
    ...{ name: 'style.css', mimeType: 'text/css', buffer: Buffer.from('a {}') },
  });
  await page.getByText('No built file with a source map.').waitFor();
  t.ok(await page.getByRole('button', { name: 'Upload', exact: true }).isDisabled());
  t.match(problems, [/413/], 'the browser notes the refusal');
  t.equal(problems.length, 1);
});

t.test('the page’s SHA-1 and CRC-32 are those of Node, in pieces of any length', async (t) => {
  const wrong: number[] = [];
  for (let length = 0; length < 300; length++) {
    const bytes = randomBytes(length);
    const cut = Math.floor(length / 3);
    const hash = sha1.create();
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut, cut), bytes.subarray(cut)])
      hash.update(piece);
    const sum = crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)));
    const same =
      bytesToHex(hash.digest()) === createHash('sha1').update(bytes).digest('hex') &&
      sum === zlib.crc32(bytes);
    if (!same) wrong.push(length);
  }
  t.same(wrong, []);
});

t.test('built code is told as such: before Gate 1, after an upload, and on demand', { skip }, async (t) => {
  const shop = join(temporaryFolder(t, 'bundled'), 'shop');
  const source = 'export function quote(order) {\n  return order.total();\n}\n';
  const commit = { author: 'Ada Quist', daysAgo: 3, time: '10:24', title: 'Quote', tag: 'v1' };
  buildHistory(shop, [{ ...commit, write: { 'src/quote.js': source } }], new Date('2026-11-20T10:00:00Z'));
  const { outputFiles } = await build({
    ...{ entryPoints: [join(shop, 'src/quote.js')], outfile: join(shop, 'assets/pay.min.js'), write: false },
    ...{ minify: true, format: 'esm', sourcemap: 'external', logLevel: 'silent' },
  });
  const [map = '', code = ''] = outputFiles.map(({ text }) => text);
  const sourceMaps = mapStore(t, GIB);
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

  await stack.getByRole('link', { name: 'on the board' }).click();
  await chooser(page, 'Choose files').setInputFiles([
    { name: 'pay.min.js', mimeType: 'text/javascript', buffer: Buffer.from(code) },
    { name: 'pay.min.js.map', mimeType: 'application/json', buffer: Buffer.from(map) },
  ]);
  await page.locator('.paired li', { hasText: 'pay.min.js' }).waitFor();
  await page.locator('#upload-release').fill('v1');
  await page.keyboard.press('Enter');
  await page.locator('.callout', { hasText: 'Uploaded the source maps of 1 built file.' }).waitFor();
  t.same((await engine.stack(run)).missing_source_maps ?? [], [], 'nothing is missing any more');
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
  t.equal(await page.locator('.model-limits li').count(), 3);
  t.equal(await overflow(page), 0);
  t.same(await axe(page), []);

  const { page: without } = await visit(t, (await boardBench(t)).core.url);
  await signIn(without);
  await without.evaluate("location.hash = '#/settings/model'");
  await without.getByRole('heading', { name: 'No model is configured' }).waitFor();
  t.same(await axe(without), []);
  t.same(problems, []);
});
