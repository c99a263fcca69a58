import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { randomBetween } from '../../../bench/faults/lib/random.mjs';
import { SOURCE_MAP_LIMITS } from '../src/source-maps/limits.js';
import type { SourceMapStore } from '../src/source-maps/store.js';
import { clientOf, makeToken } from './support/access-kit.js';
import { coreBench } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';
import {
  archiveOf,
  bundle,
  DAY,
  ended,
  file,
  filesIn,
  ID,
  MAP,
  open,
  send,
  sha1,
  statusOf,
  upload,
} from './support/source-maps-kit.js';

t.setTimeout(600_000);

const padded = (name: string, bytes: number) =>
  JSON.stringify({ ...JSON.parse(MAP), pad: name.repeat(bytes) });

t.test('a project that reaches its quota takes nothing from others', async (t) => {
  const one = open(t, { projectQuotaBytes: 1024 * 1024, quotaBytes: 3 * 1024 * 1024 });
  const send = (name: string, ...projects: string[]) =>
    upload(one.store, bundle({ 'a.js': padded(name, 400 * 1024) }, { id: null }), {
      release: name,
      projects,
    });
  const kept = async () =>
    (await one.store.uploads()).map(({ project, release }) => `${project} ${release}`).sort();
  t.same(await send('a', 'shop'), { state: 'stored' });
  one.now += 1_000;
  t.same(await send('b', 'shop'), { state: 'stored' });
  t.same(await send('c', 'web'), { state: 'stored' });
  const full = /quota of source maps of project "shop" is reached.*SOURCE_MAPS_PROJECT_QUOTA/;
  t.match(await send('d', 'shop'), { state: 'refused', detail: full });
  t.match(
    await send('d', 'web', 'shop'),
    { state: 'refused', detail: full },
    'an upload is stored for all of them',
  );
  t.same(await send('a', 'web'), { state: 'stored' }, 'a map of both counts in each');
  one.now += 8 * DAY;
  t.same(await send('d', 'shop'), { state: 'stored' });
  t.same(await kept(), ['shop b', 'shop d', 'web a', 'web c'], 'only its own least used upload gave way');
  t.same(await send('e', 'blog'), { state: 'stored' });
  t.same(await send('f', 'blog'), { state: 'stored' });
  t.same(await send('g', 'docs'), { state: 'stored' });
  t.equal((await kept()).filter((name) => /^(shop|web)/.test(name)).length, 4, 'the quota of all has room');
});

/** Core with two projects, and a client and socket of a token that may only upload for each. */
async function twoUploaders(t: Test, store: SourceMapStore) {
  const bench = await coreBench({ sourceMaps: store, moreProjects: ['web'] });
  t.teardown(bench.close);
  const uploader = async (project: string) => {
    const body = { name: `${project} ci`, scopes: ['release'], projects: [project] };
    const { token, id } = await makeToken(bench, body);
    const head = [
      `POST /api/0/organizations/culprit/chunk-upload/ HTTP/1.1`,
      ...[`Host: ${bench.host}`, `Authorization: Bearer ${token}`],
      'Content-Type: multipart/form-data; boundary=edge',
    ];
    const form = (chunks: readonly Buffer[]) => {
      const parts = chunks.flatMap((chunk) => [
        Buffer.from(
          `--edge\r\nContent-Disposition: form-data; name="file"; filename="${sha1(chunk)}"\r\n\r\n`,
        ),
        chunk,
        Buffer.from('\r\n'),
      ]);
      return Buffer.concat([...parts, Buffer.from('--edge--')]);
    };
    const post = (chunks: readonly Buffer[]) =>
      fetch(`http://${bench.host}/api/0/organizations/culprit/chunk-upload/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=edge' },
        body: form(chunks),
      });
    const hold = () => {
      const socket = connect(bench.core.port, '127.0.0.1').on('error', () => {});
      t.teardown(() => socket.destroy());
      socket.write(`${head.join('\r\n')}\r\nContent-Length: 4000000\r\n\r\n--edge\r\n`);
      return once(socket, 'data').then(([answer]) => String(answer).slice(0, 12));
    };
    const assemble = (bytes: Buffer, chunks: readonly string[]) =>
      clientOf(
        bench,
        token,
      )({
        method: 'POST',
        path: '/api/0/organizations/culprit/artifactbundle/assemble/',
        body: { checksum: sha1(bytes), chunks, projects: [project], version: '1' },
      });
    return { id, post, hold, assemble };
  };
  return { bench, shop: await uploader('default'), web: await uploader('web') };
}

t.test('small chunks of one token fill its share, and an upload of another project is stored', async (t) => {
  const { store } = open(t);
  const { shop, web } = await twoUploaders(t, store);
  const most = SOURCE_MAP_LIMITS.keptChunksEach;
  const small = Array.from({ length: most + 1 }, (_, n) => Buffer.from(`chunk ${n}`.padEnd(40)));
  for (let at = 0; at < most; at += 16) t.equal((await shop.post(small.slice(at, at + 16))).status, 200);
  const refused = await shop.post(small.slice(most));
  t.match([refused.status, await refused.text()], [413, /your share of the quota/]);
  const bytes = bundle({ 'a.js': MAP });
  t.equal((await web.post([bytes])).status, 200);
  t.match((await web.assemble(bytes, [sha1(bytes)])).json, { state: 'ok' });
});

t.test('chunks of another credential are neither seen nor used', async (t) => {
  const { store } = open(t);
  const { shop, web } = await twoUploaders(t, store);
  const bytes = bundle({ 'a.js': MAP });
  t.equal((await shop.post([bytes])).status, 200);
  t.match((await web.assemble(bytes, [sha1(bytes)])).json, { state: 'not_found' });
  t.match((await shop.assemble(bytes, [sha1(bytes)])).json, { state: 'ok' });
});

t.test('slow uploads of one token take no place of another, and end', async (t) => {
  const { store } = open(t);
  const { shop, web } = await twoUploaders(t, store);
  const held = Array.from({ length: 80 }, () => shop.hold());
  const refused = await Promise.race(held);
  t.equal(refused, 'HTTP/1.1 503', 'those beyond its own places');
  t.equal((await web.post([Buffer.from('of the web')])).status, 200);
  const [first] = await Promise.all(held.slice(0, SOURCE_MAP_LIMITS.requestsEach));
  t.equal(first, 'HTTP/1.1 408', 'too slow');
  const all = Promise.all(held);
  const later = web.hold().then(() => 'one that came later');
  const ended = await Promise.race([all, later]);
  t.same(
    [...new Set(ended)].sort(),
    ['HTTP/1.1 408', 'HTTP/1.1 503'],
    'those that waited, too, at the same time',
  );
});

t.test('a sweep while the first chunk of a credential arrives takes nothing from it', async (t) => {
  const { store, folder } = open(t);
  const bytes = Buffer.from('one');
  const pieces = (async function* () {
    await store.sweep();
    yield bytes;
  })();
  const owner = { id: 'tok_first', expiresAt: null };
  await store.storeChunk({ owner, checksum: sha1(bytes), compressed: false, pieces });
  t.equal(filesIn(join(folder, 'chunks')).length, 1);
});

t.test('chunks end with their token, revoked or expired', async (t) => {
  const one = open(t);
  const { store, folder } = one;
  const { bench, shop, web } = await twoUploaders(t, store);
  const kept = () => filesIn(join(folder, 'chunks')).length;
  t.equal((await shop.post([Buffer.from('one'), Buffer.from('two')])).status, 200);
  t.equal((await web.post([Buffer.from('three')])).status, 200);
  t.equal(kept(), 3);
  t.equal((await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${shop.id}` })).status, 200);
  t.equal(kept(), 1);
  const owner = { id: 'tok_short', expiresAt: one.now + 60_000 };
  const bytes = Buffer.from('four');
  await store.storeChunk({ owner, checksum: sha1(bytes), compressed: false, pieces: [bytes] });
  await store.sweep();
  t.equal(kept(), 2);
  one.now += 60_000;
  await store.sweep();
  t.equal(kept(), 1);
  t.same(
    readdirSync(join(folder, 'chunks')).filter((name) => name.includes('tok_short')),
    [],
  );
});

t.test('a token that is limited to a project learns the bytes of that project alone', async (t) => {
  const { store } = open(t, { projectQuotaBytes: 2_000_000 });
  const bench = await coreBench({ sourceMaps: store, moreProjects: ['web'] });
  t.teardown(bench.close);
  const [small, large] = [padded('a', 1_000), padded('b', 100_000)];
  await upload(store, bundle({ 'a.js': small }, { id: null }), { projects: ['web'] });
  await upload(store, bundle({ 'a.js': large }, { id: null }), { projects: ['default'] });
  const body = { name: 'web', scopes: ['read'], projects: ['web'] };
  const { token } = (await bench.api({ method: 'POST', path: '/api/v1/tokens', body })).json;
  const limited = httpClient(bench.core.port, { host: bench.host, authorization: `Bearer ${token}` });
  t.match((await limited({ path: '/api/v1/source-maps' })).json, {
    uploads: [{ project: 'web' }],
    used_bytes: small.length,
    project_quota_bytes: 2_000_000,
  });
  t.equal(
    (await bench.api({ path: '/api/v1/source-maps?project=web' })).json.used_bytes,
    small.length + large.length,
    'a reviewer sees those of all projects, also with a filter',
  );
});

t.test('many small files: refused beyond the limits, and nothing is kept', async (t) => {
  const { store, folder } = open(t);
  const many = (count: number) =>
    bundle(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.js`, MAP])), { id: null });
  const manifest = file('manifest.json', '{"files":{}}');
  const entries = Array.from({ length: SOURCE_MAP_LIMITS.entries }, (_, n) => file(`${n}`, ''));
  t.match(await upload(store, archiveOf([...entries, manifest])), {
    state: 'refused',
    detail: /over 20000 entries/,
  });
  t.match(await upload(store, many(SOURCE_MAP_LIMITS.files + 1)), {
    state: 'refused',
    detail: /over 5000 built files/,
  });
  t.same(await store.uploads(), []);
  t.same(readdirSync(join(folder, 'parts')), []);
});

t.test('two cores take the same bundle at once: it is one upload', async (t) => {
  const one = open(t);
  const other = open(t, { folder: one.folder });
  const bytes = bundle({ 'a.js': MAP });
  for (let round = 0; round < 5; round++) {
    const request = { checksum: sha1(bytes), projects: ['default'], release: `${round}`, dist: null };
    const uploaded = [one, other, one, other].map(async ({ store }) => {
      // What the other core unpacked first is gone, so the sender is asked for it again.
      for (;;) {
        const answer = await ended(store, { ...request, chunks: await send(store, bytes, 300) });
        if (answer.state !== 'missing') return answer;
      }
    });
    t.same(await Promise.all(uploaded), Array(4).fill({ state: 'stored' }));
    for (const { store } of [one, other]) {
      const found = (await store.uploads()).filter(({ release }) => release === `${round}`);
      t.equal(found.length, 1, 'one upload');
      t.equal(await statusOf(store, { release: `${round}` }), 'mapped');
    }
  }
  t.equal(readdirSync(join(one.folder, 'maps')).length, 1);
  t.same(readdirSync(join(one.folder, 'parts')), []);
});

t.test('kill -9 in the middle of uploads: what is listed is whole', async (t) => {
  const first = open(t);
  let listed = 0;
  for (let round = 0; round < 6; round++) {
    await killedAfter(first.folder, round, round === 0 ? 6 : randomBetween(2, 12));
    const after = open(t, { folder: first.folder });
    const uploads = await after.store.uploads();
    listed = uploads.length;
    for (const { files, project, release } of uploads) {
      for (const { map } of files) {
        const path = join(first.folder, 'maps', map);
        t.ok(existsSync(path), `${project} ${release}`);
        t.equal(createHash('sha256').update(readFileSync(path)).digest('hex'), map);
      }
      t.equal(await statusOf(after.store, { project, release }), 'mapped', `${project} ${release}`);
    }
    await after.store.close();
  }
  t.ok(listed > 0, `${listed} uploads`);
  const last = open(t, { folder: first.folder });
  last.now += 2 * DAY;
  await last.store.sweep();
  t.same(readdirSync(join(first.folder, 'parts')), [], 'what was half is gone after a day');
  t.same(readdirSync(join(first.folder, 'chunks')), []);
});

/** Uploads in another process, which is killed at once when it has printed so many lines. */
async function killedAfter(folder: string, round: number, lines: number): Promise<void> {
  const program = fileURLToPath(new URL('./support/uploading.js', import.meta.url));
  const child = spawn(process.execPath, [program, folder, `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let left = lines;
  for await (const _ of createInterface(child.stdout)) {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  }
  await ended;
}

t.test('retention counts for maps that are found by debug id alone', async (t) => {
  const one = open(t);
  t.same(await upload(one.store, bundle({ 'a.js': MAP }), { release: null }), { state: 'stored' });
  const found = () => statusOf(one.store, { release: null }, { names: ['x'], debug_id: ID });
  one.now += 89 * DAY;
  t.equal(await found(), 'mapped', 'a use, which counts');
  one.now += 89 * DAY;
  await one.store.sweep();
  t.equal(await found(), 'mapped');
  one.now += 91 * DAY;
  await one.store.sweep();
  t.equal(await found(), 'no_map');
  t.same(readdirSync(join(one.folder, 'maps')), []);
});
