import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { originalsIn } from '@culprit/core/internal/pipeline/locate/source-maps';
import { buildSync } from 'esbuild';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { buildRecipe, readRecipe } from '../src/replay/recipe.js';
import { readJson, SCENARIO_FILES } from '../src/replay/scenario.js';
import { findMap } from '../src/source-maps/find-map.js';
import { SOURCE_MAP_LIMITS } from '../src/source-maps/limits.js';
import { readMap } from '../src/source-maps/thread/read-map.js';
import type { KeptUpload } from '../src/source-maps/upload.js';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import {
  archiveOf,
  bundle,
  DAY,
  ended,
  file,
  ID,
  MAP,
  open,
  query,
  send,
  sha1,
  signal,
  statusOf,
  upload,
} from './support/source-maps-kit.js';

t.setTimeout(600_000);
const SCENARIOS = fileURLToPath(new URL('../../../bench/scenarios/', import.meta.url));

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
t.test('reads the same originals as the usual library, from maps of any form', async (t) => {
  const folder = temporaryFolder(t, 'maps');
  const source = Array.from({ length: 300 }, (_, n) => `export const f${n} = (a) => a.b.c(${n}, "é☃");`).join(
    '\n',
  );
  writeFileSync(join(folder, 'app.js'), source);
  const out = join(folder, 'out.js');
  buildSync({
    entryPoints: [join(folder, 'app.js')],
    outfile: out,
    minify: true,
    bundle: true,
    format: 'esm',
    sourcemap: true,
  });
  const text = readFileSync(`${out}.map`, 'utf8');
  const built = readFileSync(out, 'utf8').split('\n');
  const places = built.flatMap((line, at) =>
    Array.from({ length: Math.min(line.length, 400) }, (_, n) => ({ line: at + 1, column: 1 + n * 7 })),
  );
  const expected = originalsIn(text, 'out.js.map', places);
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const plain = readMap(`${out}.map`, places);
  const wrong = expected.findIndex(
    (one, at) =>
      (plain[at]?.source ?? null) !== (one?.source ?? null) ||
      plain[at]?.line !== one?.line ||
      plain[at]?.name !== one?.name,
  );
  t.equal(wrong, -1, `of ${places.length} places`);
  t.ok(expected.some((one) => one !== null));
  const [first] = plain;
  t.match(first?.context?.lines[(first.line ?? 0) - (first.context?.from ?? 0)], /^export const f0 = .*"é☃"/);
  const pretty = write('pretty.map', `)]}'\n${JSON.stringify(JSON.parse(text), null, 2)}`);
  t.same(readMap(pretty, places), plain, 'with spaces and a guard line');
  const sections = [{ offset: { line: 0, column: 0 }, map: JSON.parse(text) }];
  const { mappings, ...others } = JSON.parse(text);
  const last = write('last.map', JSON.stringify({ ...others, mappings }, null, 2));
  t.same(readMap(last, places), plain, 'with the mappings at the end');
  const indexed = write('index.map', JSON.stringify({ version: 3, sections }));
  t.same(readMap(indexed, places), plain, 'an index map');
  const moved = [{ offset: { line: 2, column: 5 }, map: JSON.parse(MAP) }];
  const later = write('later.map', JSON.stringify({ version: 3, sourceRoot: 'x', sections: moved }));
  t.match(
    readMap(later, [
      { line: 3, column: 6 },
      { line: 1, column: 1 },
    ]),
    [{ line: 3, name: 'total' }, null],
  );
  const rooted = write(
    'rooted.map',
    JSON.stringify({ ...JSON.parse(MAP), sourceRoot: 'https://cdn.example/' }),
  );
  t.equal(readMap(rooted, [{ line: 1, column: 1 }])[0]?.source, 'https://cdn.example/../src/cart.js');
  for (const bad of [
    '',
    'nonsense',
    '[]',
    '{',
    '{"mappings":"AA',
    '{"mappings":"AAAA*"}',
    '{"version":3}',
    '{"mappings":7}',
  ])
    t.throws(() => readMap(write('bad.map', bad), [{ line: 1, column: 1 }]), SyntaxError, bad);
  for (const odd of [
    '{"mappings":"AAAA"}',
    '{"mappings":"A","sources":[]}',
    '{"mappings":"AADD","sources":["x"]}',
  ])
    t.same(readMap(write('odd.map', odd), [{ line: 1, column: 1 }]), [null], odd);
});

t.test('finds a map by debug id, else by release and address', async (t) => {
  const { store } = open(t);
  t.same(await upload(store, bundle({ 'a.js': MAP, 'js/b.js': MAP.replace('cart', 'b') })), {
    state: 'stored',
  });
  const [found] = await store.originals(query(), signal);
  t.match(found, { status: 'mapped', original: { source: '../src/cart.js', line: 3, name: 'total' } });
  t.equal(found?.status === 'mapped' && found.original.context?.lines[2], '  three();');
  const mapped = (frame: object, more: object = {}) => statusOf(store, more, frame);
  t.equal(await mapped({ names: ['x'], debug_id: ID }, { release: null }), 'mapped', 'by debug id alone');
  t.equal(await mapped({ debug_id: ID }, { project: 'other', release: null }), 'no_map', 'another project');
  t.equal(await mapped({}, { release: '2' }), 'no_map', 'another release');
  t.equal(await mapped({ names: ['app:///js/b.js'] }), 'mapped');
  t.equal(await mapped({ names: ['/srv/app/dist/js/b.js'] }), 'mapped', 'by the end of the path');
  t.equal(await mapped({ names: ['https://shop.example/js/a.js'] }), 'mapped', 'by the name alone');
  t.equal(await mapped({ names: ['https://shop.example/other.js'] }), 'no_map');
  t.equal(await mapped({ line: 900 }), 'unmapped', 'a place that the map does not know');
  await upload(store, bundle({ 'a.js': MAP.replace('cart', 'x64') }), { dist: 'x64' });
  const sourceFor = async (dist: string | null) => {
    const [one] = await store.originals(query({ dist }), signal);
    return one?.status === 'mapped' ? one.original.source : one?.status;
  };
  t.equal(await sourceFor('x64'), '../src/x64.js');
  t.equal(await sourceFor('arm'), '../src/cart.js', 'without that distribution, the upload for all');
  t.equal(await sourceFor(null), '../src/cart.js');
});

t.test('refuses archives that are wrong, and keeps nothing of them', async (t) => {
  const { store, folder } = open(t);
  const detailOf = async (bytes: Buffer, more: object = {}) => {
    const answer = await upload(store, bytes, more);
    return answer.state === 'refused' ? answer.detail : answer.state;
  };
  const good = bundle({ 'a.js': MAP });
  t.match(
    await detailOf(good, { checksum: sha1(Buffer.from('other')) }),
    /checksum of the archive does not match/,
  );
  t.match(await detailOf(Buffer.from('not a zip')), /not a ZIP archive/);
  t.match(await detailOf(good.subarray(0, good.length - 30)), /not a ZIP archive/, 'cut');
  t.match(await detailOf(bundle({ 'a.js': MAP }, { manifest: false })), /no manifest\.json/);
  t.match(
    await detailOf(archiveOf([file('manifest.json', '{')])),
    /manifest\.json of the archive cannot be read/,
  );
  t.match(await detailOf(archiveOf([file('manifest.json', '{"files":{}}')])), /contains no source map/);
  t.match(await detailOf(bundle({ 'a.js': 'nonsense' })), /No source map of the archive can be read.*a\.js/);
  const manifest = file('manifest.json', '{"files":{"../../evil":{"type":"source_map","url":"~/x.map"}}}');
  t.match(await detailOf(archiveOf([file('../../evil', MAP), manifest])), /invalid relative path/);
  t.match(await detailOf(archiveOf([file('/evil', MAP), manifest])), /absolute path/);
  t.match(await detailOf(bombed(201 * 1024 * 1024)), /larger than 200 MiB/);
  t.match(await detailOf(bombed(0x7fff_ffff)), /larger than 200 MiB/, '2 GiB are announced');
  t.match(await detailOf(bombed(1_000)), /cannot be unpacked/, 'a bomb that states a small size');
  t.same(await store.uploads(), []);
  for (const name of ['maps', 'parts', 'chunks', 'uploads'])
    t.same(readdirSync(join(folder, name)), [], name);
  t.notOk(existsSync(join(folder, '../../evil')));
  t.equal(await detailOf(bundle({ 'a.js': MAP, 'b.js': 'nonsense' })), 'stored');
  t.match(
    await store.uploads(),
    [{ files: [{ url: '~/a.js' }], unreadable: ['~/b.js'] }],
    'the readable ones are kept',
  );
});

/** 50 MiB of zeros in a map, whose header states another size. */
function bombed(stated: number): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(50 * 1024 * 1024));
  const real = bundle({ 'a.js': Buffer.alloc(50 * 1024 * 1024) });
  const size = Buffer.alloc(4);
  size.writeUInt32LE(50 * 1024 * 1024);
  const lie = Buffer.alloc(4);
  lie.writeUInt32LE(stated);
  t.ok(zeros.length < 100_000 && crc32(zeros) !== 0);
  for (let at = real.indexOf(size); at >= 0; at = real.indexOf(size, at + 4)) lie.copy(real, at);
  return real;
}

t.test('half uploads are finished later, by any core of the folder, or deleted after a day', async (t) => {
  const first = open(t);
  const bytes = bundle({ 'a.js': MAP });
  const chunks = await send(first.store, bytes, 300);
  t.ok(chunks.length > 1);
  await first.store.close();
  const second = open(t, { folder: first.folder });
  const request = { checksum: sha1(bytes), projects: ['default', 'web'], release: '1', dist: null };
  const more = sha1(Buffer.from('never sent'));
  t.same(await ended(second.store, { ...request, chunks: [...chunks, more] }), {
    state: 'missing',
    chunks: [more],
  });
  writeFileSync(join(first.folder, 'parts/of-a-killed-core'), 'half');
  writeFileSync(join(first.folder, 'maps', 'f'.repeat(64)), 'unpacked and never recorded');
  t.same(await ended(second.store, { ...request, chunks }), { state: 'stored' });
  t.same(await ended(second.store, { ...request, chunks }), { state: 'stored' }, 'again, without its chunks');
  t.match(await second.store.uploads(), [{ project: /default|web/ }, { project: /default|web/ }]);
  t.equal(await statusOf(second.store, { project: 'web' }), 'mapped');
  const third = open(t, { folder: first.folder });
  t.equal(await statusOf(third.store), 'mapped', 'another core sees it');
  await send(second.store, Buffer.from('left over'));
  second.now += 23 * 3_600_000;
  await second.store.sweep();
  t.equal(readdirSync(join(first.folder, 'parts')).length, 1, 'not yet');
  second.now += 2 * 3_600_000;
  await second.store.sweep();
  t.same(readdirSync(join(first.folder, 'parts')), []);
  t.same(readdirSync(join(first.folder, 'chunks')), []);
  t.equal(readdirSync(join(first.folder, 'maps')).length, 1, 'the map that both uploads use');
  const wrong = { checksum: more, compressed: false, pieces: [Buffer.from('other bytes')] };
  await t.rejects(second.store.storeChunk(wrong), {
    code: 'malformed',
    message: /does not match its checksum/,
  });
  const bomb = { checksum: more, compressed: true, pieces: [gzipSync(Buffer.alloc(2 * 1024 * 1024))] };
  await t.rejects(second.store.storeChunk(bomb), { code: 'too_large' });
  await t.rejects(second.store.storeChunk({ ...bomb, pieces: [Buffer.from('x')] }), { code: 'malformed' });
});

t.test('chunks are bounded in bytes and number, and kept while another archive waits for them', async (t) => {
  const one = open(t, { quotaBytes: 3_000 });
  const folder = join(one.folder, 'chunks');
  const chunkOf = (size: number, fill: string) => {
    const bytes = Buffer.alloc(size, fill);
    return { checksum: sha1(bytes), compressed: false, pieces: [bytes] };
  };
  await one.store.storeChunk(chunkOf(2_000, 'a'));
  await t.rejects(one.store.storeChunk(chunkOf(2_000, 'b')), {
    code: 'too_large',
    message: /SOURCE_MAPS_QUOTA/,
  });
  for (let again = 0; again < 3; again++) await one.store.storeChunk(chunkOf(2_000, 'a'));
  writeFileSync(join(folder, 'f'.repeat(40)), Buffer.alloc(900));
  await one.store.storeChunk(chunkOf(500, 'c'));
  one.now += 61_000;
  await t.rejects(
    one.store.storeChunk(chunkOf(200, 'd')),
    { code: 'too_large', message: /SOURCE_MAPS_QUOTA/ },
    'what another core added is counted a minute later',
  );
  const many = open(t);
  await send(many.store, Buffer.from('first'));
  for (let n = 1; n < SOURCE_MAP_LIMITS.keptChunks; n++)
    writeFileSync(join(many.folder, 'chunks', `${n}`), '');
  many.now += 61_000;
  await t.rejects(many.store.storeChunk(chunkOf(1, 'x')), {
    code: 'too_large',
    message: /SOURCE_MAPS_QUOTA/,
  });
  const shared = open(t);
  const bytes = bundle({ 'a.js': MAP });
  const chunks = await send(shared.store, bytes, 300);
  const request = { checksum: sha1(bytes), chunks, projects: ['default'], dist: null };
  const later = { ...request, checksum: sha1(Buffer.concat([bytes, Buffer.from('more')])), release: '2' };
  const more = sha1(Buffer.from('more'));
  t.match(await ended(shared.store, { ...later, chunks: [...chunks, more] }), { state: 'missing' });
  t.same(await ended(shared.store, { ...request, release: '1' }), { state: 'stored' });
  t.same(
    await ended(shared.store, { ...later, chunks: [...chunks, more] }),
    { state: 'missing', chunks: [more] },
    'the waiting archive needs no chunk twice',
  );
  const both = ['3', '4'].map((release) => ended(shared.store, { ...request, release }));
  t.same(await Promise.all(both), [{ state: 'stored' }, { state: 'stored' }]);
  await send(shared.store, Buffer.from('more'));
  t.match(await ended(shared.store, { ...later, chunks: [...chunks, more] }), { state: /stored|refused/ });
  t.same(readdirSync(join(shared.folder, 'chunks')), [], 'nobody waits any more');
});

t.test('retention counts from the last use; beyond the quota resting uploads give way', async (t) => {
  const content = (name: string) => JSON.stringify({ ...JSON.parse(MAP), pad: name.repeat(400 * 1024) });
  const one = open(t, { quotaBytes: 1024 * 1024 });
  const release = (name: string) =>
    upload(one.store, bundle({ 'a.js': content(name) }, { id: null }), { release: name });
  const kept = async () => (await one.store.uploads()).map((found) => found.release).sort();
  await release('a');
  one.now += 1_000;
  await release('b');
  t.match(await release('c'), {
    state: 'refused',
    detail: /quota of source maps is reached.*SOURCE_MAPS_QUOTA/,
  });
  t.same(await kept(), ['a', 'b']);
  one.now += 8 * DAY;
  t.equal(await statusOf(one.store, { release: 'a' }), 'mapped', 'a use');
  t.same(await release('c'), { state: 'stored' });
  t.same(await kept(), ['a', 'c'], 'the upload used least recently gave way');
  one.now += 89 * DAY;
  t.equal(await statusOf(one.store, { release: 'c' }), 'mapped');
  one.now += 2 * DAY;
  await one.store.sweep();
  t.same(await kept(), ['c'], 'unused for 90 days');
  t.equal(readdirSync(join(one.folder, 'maps')).length, 1);
  const map = readdirSync(join(one.folder, 'maps'))[0] ?? '';
  writeFileSync(join(one.folder, 'maps', map), '{"damaged');
  t.equal(await statusOf(one.store, { release: 'c' }), 'unreadable');
  writeFileSync(join(one.folder, 'uploads', `${'0'.repeat(24)}.json`), '{"format":"culprit.source-maps/9"}');
  t.same(await kept(), ['c'], 'an upload of a later version is left alone');
});

t.test('the API lists and deletes what the credential may see', async (t) => {
  const { store, folder } = open(t);
  const { api, bare, host, close } = await coreBench({ sourceMaps: store });
  t.teardown(close);
  await upload(store, bundle({ 'a.js': MAP }), { projects: ['default', 'web'] });
  const { json } = await api({ path: '/api/v1/source-maps?project=web' });
  t.match(json, {
    uploads: [
      { project: 'web', release: '1', files: 1, bytes: MAP.length, names: ['~/a.js'], unreadable: [] },
    ],
    used_bytes: MAP.length,
    quota_bytes: 1024 * 1024 * 1024,
    project_quota_bytes: null,
    keep_ms: 90 * DAY,
    next: null,
  });
  t.equal(json.uploads.length, 1);
  const path = `/api/v1/source-maps/${json.uploads[0].id}`;
  t.equal((await bare({ method: 'DELETE', path })).status, 401);
  t.equal((await api({ method: 'DELETE', path })).status, 204);
  t.equal((await api({ method: 'DELETE', path })).status, 404);
  t.equal((await api({ method: 'DELETE', path: '/api/v1/source-maps/..%2F..%2Fx' })).status, 404);
  t.equal((await api({ path: '/api/v1/source-maps' })).json.uploads.length, 1);
  t.equal(readdirSync(join(folder, 'maps')).length, 1);
  const chunks = '/api/0/organizations/o/chunk-upload/';
  const form = async (body: string, type = 'multipart/form-data; boundary=x') => {
    const response = await fetch(`http://${host}${chunks}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
      body,
    });
    return `${response.status} ${await response.text()}`;
  };
  const part = (name: string, filename: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\nhello\r\n`;
  t.match(await form(`${part('file', sha1(Buffer.from('hello')))}--x--\r\n`), /^200/);
  t.match(await form(`${part('file', '../../evil')}--x--`), /^400 .*with a SHA-1/);
  for (const bad of ['', '--x', '--x\r\n', '--x\r\nno end', part('file', 'f'.repeat(40)), 'x'.repeat(5_000)])
    t.match(await form(bad), /^400 .*"detail"/, bad.slice(0, 20));
  t.match(await form('{}', 'application/json'), /^400/);
  t.match(await form('x'.repeat(5 * 1024 * 1024)), /^413/);
  const assemble = (body: object) =>
    api({ method: 'POST', path: '/api/0/organizations/o/artifactbundle/assemble/', body });
  const checksum = sha1(Buffer.from('x'));
  t.match((await assemble({ checksum, chunks: [checksum], projects: ['nobody'] })).json, {
    detail: /no project "nobody"/,
  });
  t.match((await assemble({ checksum: '../x', chunks: [], projects: ['default'] })).json, {
    detail: /SHA-1/,
  });
  const many = Array.from({ length: 2048 }, (_, n) => sha1(Buffer.from(`${n}`)));
  t.match(
    (await assemble({ checksum, chunks: many, projects: ['default'] })).json,
    { detail: /too large|limit|512 chunks/ },
    'an archive of 2 GiB',
  );
});

t.test('the board shows originals, the built code on demand, and what is missing', { skip }, async (t) => {
  const { store } = open(t);
  const { core, engine } = await boardBench(t, { sourceMaps: store });
  await upload(store, bundle({ 'a.min.js': MAP }));
  const frame = (file: string) => ({
    filename: `https://shop.example/${file}`,
    lineno: 1,
    colno: 1,
    function: 'n',
  });
  const stacktrace = { frames: [frame('b.min.js'), frame('a.min.js')] };
  const exception = { values: [{ type: 'TypeError', value: 'no price', stacktrace }] };
  const { run_id } = await engine.ingest({ crash: { platform: 'javascript', release: '1', exception } });
  await engine.approveGateOne(run_id ?? '', { name: 'ada', via: 'api' });
  const { page, problems } = await visit(t, core.url, 390);
  await signIn(page);
  await page.goto(`${core.url}/#${run_id}`);
  const crash = page.locator('section', { has: page.locator('#crash') });
  await crash.getByText('src/cart.js:3').first().waitFor();
  await crash.locator('.source').filter({ hasText: 'items.reduce' }).first().waitFor();
  await crash.getByText('There is no source map for b.min.js of release 1.').waitFor();
  await crash.getByText('culprit sourcemaps upload dist --release 1', { exact: true }).waitFor();
  t.same([await axe(page), await overflow(page)], [[], 0], 'the run page');
  const button = crash.getByRole('button', { name: 'Minified' });
  await button.focus();
  await page.keyboard.press('Enter');
  await crash.getByText('/a.min.js:1').first().waitFor();
  t.equal(await crash.getByText('src/cart.js:3').count(), 0);
  t.equal(await button.getAttribute('aria-pressed'), 'true');
  await page.goto(`${core.url}/#/settings/source-maps`);
  await page.getByText('1 built file').waitFor();
  await page.getByText('An upload is deleted 90 days after its last use.').waitFor();
  await page.getByText(/kept until 20\d\d-/).waitFor();
  t.same([await axe(page), await overflow(page)], [[], 0], 'the list');
  await page.getByRole('button', { name: 'Delete the source maps of 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No source maps.').waitFor();
  t.same(await store.uploads(), []);
  t.same(problems, []);
});

t.test('originals of a map in the repository are shown in the same way', { skip }, async (t) => {
  const folder = temporaryFolder(t, 'committed');
  const file = join(SCENARIOS, '01-node-voucher', SCENARIO_FILES.recipe);
  const map = { version: 3, names: ['quote'], sources: ['../src/checkout.js'], mappings: 'AAQAA' };
  const build = {
    'public/shop.min.js': 'q()',
    'public/shop.min.js.map': JSON.stringify(map),
  };
  const recipe = readRecipe(readJson(file), file);
  const last = { title: 'Build', author: 'Ada', at: '2026-03-12T09:00:00Z', write: build, tag: 'built-1' };
  buildRecipe([...recipe, last], join(folder, 'shop'));
  const { core, engine } = await boardBench(t, { codeIn: join(folder, 'shop') });
  const frame = { filename: 'https://shop.example/public/shop.min.js', lineno: 1, colno: 1, function: 'q' };
  const exception = { values: [{ type: 'TypeError', value: 'no price', stacktrace: { frames: [frame] } }] };
  const { run_id } = await engine.ingest({
    crash: { platform: 'javascript', release: 'built-1', exception },
  });
  await engine.approveGateOne(run_id ?? '', { name: 'ada', via: 'api' });
  const { page, problems } = await visit(t, core.url, 390);
  await signIn(page);
  await page.goto(`${core.url}/#${run_id}`);
  const crash = page.locator('section', { has: page.locator('#crash') });
  await crash.getByText('src/checkout.js:9').first().waitFor();
  await crash.locator('.source').filter({ hasText: 'voucherDiscount' }).first().waitFor();
  t.same([await axe(page), await overflow(page)], [[], 0]);
  const button = crash.getByRole('button', { name: 'Minified' });
  await button.click();
  await crash.getByText('shop.min.js:1').first().waitFor();
  t.equal(await crash.getByText('src/checkout.js:9').count(), 0);
  await button.click();
  await crash.getByText('src/checkout.js:9').first().waitFor();
  t.same(problems, []);
});

t.test('each file of an upload is looked at once, not once for each frame of a crash', (t) => {
  let looked = 0;
  const files = Array.from({ length: 2_000 }, (_, n) => ({
    get url() {
      looked += 1;
      return `~/js/${n}/part-${n}.js`;
    },
    debug_id: null,
    map: 'a'.repeat(64),
    bytes: 1,
  }));
  const [known] = [{ id: 'a'.repeat(24), project: 'default', release: '1', dist: null, files }];
  const kept = { ...known, format: 'culprit.source-maps/1', uploaded_at: '', used_at: '', unreadable: [] };
  const find = (name: string) =>
    findMap([kept as KeptUpload], query(), { names: [name], debug_id: null, line: 1, column: 1 });
  for (let n = 0; n < 200; n++) {
    t.match(find(`/srv/app/js/${n}/part-${n}.js`)?.file, { url: `~/js/${n}/part-${n}.js` });
    t.equal(find(`/srv/app/none-${n}.js`), null);
  }
  t.ok(looked < 10 * files.length, `${looked} looks`);
  t.end();
});

t.test('200 MiB: uploaded, read and looked up without holding up the event loop or memory', async (t) => {
  const { store } = open(t);
  const source = `${'let a = "x\\n";\n'.repeat(1_000)}`;
  const sources = Array.from({ length: 6_000 }, (_, n) => `src/${n}.js`);
  const segment = 'AACA,'.repeat(20);
  const text = JSON.stringify({ version: 3, sources, sourcesContent: sources.map(() => source), names: [] });
  const mappings = `AAAA${`;${segment}`.repeat(900_000)};CAAA`;
  const map = `${text.slice(0, -1)},"mappings":"${mappings}"}`;
  t.ok(map.length > 180 * 1024 * 1024 && map.length < 200 * 1024 * 1024, `${map.length} bytes`);
  const bytes = bundle({ 'a.js': map });
  t.same(await upload(store, bytes), { state: 'stored' });
  const chosen = performance.eventLoopUtilization();
  const [found] = await store.originals(query({}, { line: 900_002, column: 2 }), signal);
  const { active, idle } = performance.eventLoopUtilization(chosen);
  t.match(found, { status: 'mapped', original: { source: 'src/0.js' } });
  t.ok(active < idle, `the event loop was free: ${Math.round(active)} ms busy, ${Math.round(idle)} ms idle`);
});
