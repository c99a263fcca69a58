import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '@culprit/core';
import type { SourceMapQuery } from '@culprit/core/internal/ports/source-maps';
import type { Test } from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { openSourceMaps, type SourceMapStore } from '../../src/source-maps/store.js';
import { type ArchivedFile, writeArchive } from '../../src/source-maps/upload-source-maps.js';

export const ID = '7eee3f7c-e6fc-5336-b284-2233eb25de5d';
export const DAY = 86_400_000;
export const signal = new AbortController().signal;
export const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');

/** Names of the files in a folder and those below it. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
}

interface Opened {
  readonly store: SourceMapStore;
  readonly folder: string;
  now: number;
}

export function open(
  t: Test,
  more: { readonly quotaBytes?: number; readonly projectQuotaBytes?: number; readonly folder?: string } = {},
): Opened {
  const folder = more.folder ?? join(temporaryFolder(t, 'maps'), 'source-maps');
  const opened = { folder, now: Date.now() } as { store: SourceMapStore } & Opened;
  opened.store = openSourceMaps({
    directory: folder,
    quotaBytes: more.quotaBytes ?? 1024 * 1024 * 1024,
    projectQuotaBytes: more.projectQuotaBytes ?? null,
    keepMs: 90 * DAY,
    logger: silentLogger,
    now: () => opened.now,
  });
  t.teardown(() => opened.store.close());
  return opened;
}

export function archiveOf(files: readonly ArchivedFile[]): Buffer {
  const parts: Buffer[] = [];
  writeArchive(files, (bytes) => parts.push(bytes));
  return Buffer.concat(parts);
}
export const file = (name: string, content: string | Buffer): ArchivedFile => ({
  name,
  read: () => Buffer.from(content),
});
export const MAP = JSON.stringify({
  version: 3,
  sources: ['../src/cart.js'],
  sourcesContent: ['one\ntwo "quoted" \\ [ { \n  three();\nfour\n'],
  names: ['total'],
  mappings: 'AAEEA',
});

/** An archive as sentry-cli makes it. */
export function bundle(
  maps: Readonly<Record<string, string | Buffer>>,
  { id = ID as string | null, manifest = true } = {},
): Buffer {
  const files: Record<string, object> = {};
  const archived: ArchivedFile[] = [];
  for (const [index, [name, content]] of Object.entries(maps).entries()) {
    const headers = id === null || index > 0 ? {} : { 'debug-id': id };
    const script = { type: 'minified_source', url: `~/${name}` };
    files[`files/_/_/${name}`] = { ...script, headers: { ...headers, sourcemap: `${name}.map` } };
    files[`files/_/_/${name}.map`] = { type: 'source_map', url: `~/${name}.map`, headers };
    archived.push(file(`files/_/_/${name}.map`, content));
  }
  if (manifest) archived.push(file('manifest.json', JSON.stringify({ files })));
  return archiveOf(archived);
}

export async function send(store: SourceMapStore, bytes: Buffer, size = 1024 * 1024): Promise<string[]> {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    chunks.push(sha1(chunk));
    await store.storeChunk({ checksum: sha1(chunk), compressed: true, pieces: [gzipSync(chunk)] });
  }
  return chunks;
}

export async function upload(store: SourceMapStore, bytes: Buffer, more: object = {}) {
  const chunks = await send(store, bytes);
  return ended(store, {
    checksum: sha1(bytes),
    chunks,
    projects: ['default'],
    release: '1',
    dist: null,
    ...more,
  });
}

export async function ended(store: SourceMapStore, request: Parameters<SourceMapStore['assemble']>[0]) {
  for (;;) {
    const answer = await store.assemble(request);
    if (answer.state !== 'working') return answer;
  }
}

export const query = (more: Partial<SourceMapQuery> = {}, frame: object = {}): SourceMapQuery => ({
  project: 'default',
  release: '1',
  dist: null,
  frames: [{ names: ['https://shop.example/a.js'], debug_id: null, line: 1, column: 1, ...frame }],
  ...more,
});
export const statusOf = async (store: SourceMapStore, ...asked: Parameters<typeof query>) =>
  (await store.originals(query(...asked), signal))[0]?.status;
