// maps.mjs FOLDER MB: uploads source maps until the store contains that many MB. The maps are those of a large bundle, built once
// and stored under different names. The last line is JSON.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '@culprit/core';
import { buildSync } from 'esbuild';
import { openSourceMaps } from '../../packages/host/dist/source-maps/store.js';
import { writeArchive } from '../../packages/host/dist/source-maps/upload-source-maps.js';
import { PROJECT } from './subscriptions.mjs';

const [folder, megabytes] = process.argv.slice(2);
const CHUNK = 1024 * 1024;
const wanted = Number(megabytes) * 1024 * 1024;
const built = mkdtempSync(join(tmpdir(), 'culprit-bench-built-'));
buildSync({
  entryPoints: [createRequire(import.meta.url).resolve('typescript')],
  outfile: join(built, 'app.js'),
  minify: true,
  platform: 'node',
  sourcemap: true,
  logLevel: 'silent',
});
const map = readFileSync(join(built, 'app.js.map'), 'utf8');
rmSync(built, { recursive: true, force: true });
const store = openSourceMaps({
  directory: folder,
  quotaBytes: 2 * wanted + 64 * CHUNK,
  keepMs: 90 * 86_400_000,
  logger: silentLogger,
});
let bytes = 0;
let uploads = 0;
for (; bytes < wanted; uploads++) {
  const name = `app-${uploads}.js`;
  const text = Buffer.from(`{"file":"${name}",${map.slice(map.indexOf('{') + 1)}`);
  await upload(uploads, name, text);
  bytes += text.length;
}
await store.close();
console.log(JSON.stringify({ uploads, bytes }));

async function upload(number, name, text) {
  const parts = [];
  const url = `~/assets/${name}`;
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const headers = { 'debug-id': id };
  const files = {
    [`files/_/_/${name}`]: {
      type: 'minified_source',
      url,
      headers: { ...headers, sourcemap: `${name}.map` },
    },
    [`files/_/_/${name}.map`]: { type: 'source_map', url: `${url}.map`, headers },
  };
  const archived = [
    { name: `files/_/_/${name}.map`, read: () => text },
    { name: 'manifest.json', read: () => Buffer.from(JSON.stringify({ files })) },
  ];
  writeArchive(archived, (part) => parts.push(part));
  const archive = Buffer.concat(parts);
  const sha1 = (part) => createHash('sha1').update(part).digest('hex');
  const chunks = [];
  for (let at = 0; at < archive.length; at += CHUNK) {
    const chunk = archive.subarray(at, at + CHUNK);
    chunks.push(sha1(chunk));
    await store.storeChunk({
      checksum: sha1(chunk),
      compressed: true,
      pieces: [gzipSync(chunk, { level: 1 })],
    });
  }
  const request = { checksum: sha1(archive), chunks, projects: [PROJECT], release: `shop@1.0.${number}` };
  for (;;) {
    const { state, detail } = await store.assemble({ ...request, dist: null });
    if (state === 'stored') return;
    if (state !== 'working') throw new Error(`${state}: ${detail}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
