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
import type { BuiltFile } from './find-built-files.js';
import { type ChunkedArchive, sendArchive, type UploadTarget } from './send-archive.js';
import { writeArchive } from './write-archive.js';

interface ArchiveFacts {
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  /** Before the names of the files: `~/` or `https://cdn.example/assets/`. */
  readonly urlPrefix: string;
}

export interface SourceMapUploadOptions extends ArchiveFacts {
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

/** A built file, and the source map that it names. */
interface MappedScript {
  /** The path of the built file below the folder, with `/`. */
  readonly name: string;
  /** Identifies the map: several files may share one. */
  readonly map: string;
  readonly debug_id: string | null;
}

interface ArchivePlan {
  /** The maps, each once, by the name of its entry in the archive. */
  readonly maps: readonly { readonly entry: string; readonly map: string }[];
  /** The text of `manifest.json`, as sentry-cli writes it. */
  readonly manifest: string;
}

/** What the archive of an upload contains. Built files are only described: core keeps nothing but the maps. */
function planArchive(
  files: readonly MappedScript[],
  { urlPrefix, project, release, dist }: ArchiveFacts,
): ArchivePlan {
  const described: Record<string, object> = {};
  const entries = new Map<string, string>();
  for (const { name, map, debug_id } of files) {
    const known = entries.get(map);
    const entry = known ?? `files/${entries.size}/${name.split('/').at(-1)}.map`;
    const url = `${urlPrefix}${name}`;
    const id = debug_id === null ? {} : { 'debug-id': debug_id };
    described[`scripts/${name}`] = {
      type: 'minified_source',
      url,
      headers: { ...id, sourcemap: `~/${entry}` },
    };
    if (known !== undefined) continue;
    entries.set(map, entry);
    described[entry] = { type: 'source_map', url: `~/${entry}`, headers: id };
  }
  const manifest = { files: described, project, ...(release && { release }), ...(dist && { dist }) };
  return {
    maps: [...entries].map(([map, entry]) => ({ entry, map })),
    manifest: JSON.stringify(manifest),
  };
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
