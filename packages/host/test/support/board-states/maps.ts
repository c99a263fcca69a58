import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '@culprit/core';
import type { Test } from 'tap';
import { temporaryFolder } from '../../../../../bench/faults/lib/folders.mjs';
import { openSourceMaps, type SourceMapStore } from '../../../src/source-maps/store.js';
import { writeArchive } from '../../../src/source-maps/upload-source-maps.js';

export interface MapFolder {
  readonly store: SourceMapStore;
  /** Uploads a map for each built file, as CI does. */
  upload(release: string, names: readonly string[], mapOf?: (name: string) => string): Promise<void>;
}

const DAY_MS = 86_400_000;
const CONTENT = 'let total = 0;\n'.repeat(9_000);

/** A store of source maps, which ends with the test. */
export function mapFolder(t: Test, now: () => number): MapFolder {
  const store = openSourceMaps({
    directory: join(temporaryFolder(t, 'maps'), 'source-maps'),
    ...{ quotaBytes: 1024 ** 3, keepMs: 90 * DAY_MS, logger: silentLogger, now },
  });
  t.teardown(() => store.close());
  return {
    store,
    async upload(release, names, mapOf = anyMap) {
      const bytes = archiveOf(names, mapOf);
      const checksum = createHash('sha1').update(bytes).digest('hex');
      await store.storeChunk({ checksum, compressed: true, pieces: [gzipSync(bytes)] });
      const request = { checksum, chunks: [checksum], projects: ['default'], release, dist: null };
      for (;;) {
        const { state } = await store.assemble(request);
        if (state === 'stored') return;
        if (state !== 'working') throw new Error(state);
      }
    },
  };
}

function archiveOf(names: readonly string[], mapOf: (name: string) => string): Buffer {
  const text = (name: string, content: string) => ({ name, read: () => Buffer.from(content) });
  const files = names.flatMap((name) => [
    [
      `files/_/_/${name}`,
      { type: 'minified_source', url: `~/${name}`, headers: { sourcemap: `${name}.map` } },
    ],
    [`files/_/_/${name}.map`, { type: 'source_map', url: `~/${name}.map`, headers: {} }],
  ]);
  const parts: Buffer[] = [];
  writeArchive(
    [
      ...names.map((name) => text(`files/_/_/${name}.map`, mapOf(name))),
      text('manifest.json', JSON.stringify({ files: Object.fromEntries(files) })),
    ],
    (bytes) => parts.push(bytes),
  );
  return Buffer.concat(parts);
}

function anyMap(name: string): string {
  const source = { sources: [`../src/${name}`], sourcesContent: [`// ${name}\n${CONTENT}`] };
  return JSON.stringify({ version: 3, ...source, names: [], mappings: 'AAAA' });
}
