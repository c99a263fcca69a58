import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchiveFacts, planArchive } from './archive-plan.js';
import type { BuiltFile } from './find-built-files.js';
import { type ChunkedArchive, type SendOptions, sendArchive, type UploadTarget } from './send-archive.js';
import { writeArchive } from './write-archive.js';

export interface SourceMapUploadOptions extends ArchiveFacts, Pick<SendOptions, 'onProgress'> {
  readonly files: readonly BuiltFile[];
}

/** Sends source maps as sentry-cli does: one archive, in chunks that core does not have yet. */
export async function uploadSourceMaps(target: UploadTarget, options: SourceMapUploadOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-maps-'));
  try {
    const archive = join(folder, 'archive.zip');
    writeFile(archive, options);
    const fd = openSync(archive, 'r');
    try {
      await sendArchive(target, async (chunkSize) => chunked(fd, chunkSize), options);
    } finally {
      closeSync(fd);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFile(path: string, { files, ...facts }: SourceMapUploadOptions): void {
  const scripts = files.map(({ name, mapPath, debug_id }) => ({ name, map: mapPath, debug_id }));
  const { maps, manifest } = planArchive(scripts, facts);
  const archived = [
    ...maps.map(({ entry, map }) => ({ name: entry, read: () => readFileSync(map) })),
    { name: 'manifest.json', read: () => Buffer.from(manifest) },
  ];
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeArchive(archived, (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    });
  } finally {
    closeSync(fd);
  }
}

function chunked(fd: number, size: number): ChunkedArchive {
  const bytesAt = (index: number) => {
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(fd, bytes, 0, size, index * size));
  };
  const whole = createHash('sha1');
  const chunks: string[] = [];
  for (let index = 0; index * size < fstatSync(fd).size; index++) {
    const bytes = bytesAt(index);
    whole.update(bytes);
    chunks.push(createHash('sha1').update(bytes).digest('hex'));
  }
  return { checksum: whole.digest('hex'), chunks, read: (index) => new Blob([bytesAt(index)]) };
}
