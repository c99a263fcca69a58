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
import { crc32, deflateRawSync } from 'node:zlib';
import type { BuiltFile } from './find-built-files.js';
import { type ChunkedArchive, sendArchive, type UploadTarget } from './send-archive.js';

interface ArchiveFacts {
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  /** Before the names of the files: `~/` or `https://cdn.example/assets/`. */
  readonly urlPrefix: string;
}

interface SourceMapUploadOptions extends ArchiveFacts {
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

/** A file of a ZIP archive. */
export interface ArchivedFile {
  /** With `/`, relative. */
  readonly name: string;
  readonly read: () => Uint8Array;
}

/** Writes a ZIP archive of fewer than 65,535 files and 4 GiB, one file at a time. */
export function writeArchive(files: Iterable<ArchivedFile>, write: (bytes: Buffer) => void): void {
  const directory: Uint8Array[] = [];
  let at = 0;
  const put = (bytes: Uint8Array) => {
    write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    at += bytes.length;
  };
  for (const { name, read } of files) {
    const plain = read();
    const packed = deflateRawSync(plain);
    const entry = { name, crc: crc32(plain), packed: packed.length, plain: plain.length };
    directory.push(directoryRecord(entry, at));
    put(localRecord(entry));
    put(packed);
  }
  const from = at;
  for (const entry of directory) put(entry);
  put(endRecord({ entries: directory.length, at: from, bytes: at - from }));
}

/** A compressed entry of a ZIP archive (APPNOTE 6.3.10), of less than 4 GiB. */
interface ZipEntry {
  /** With `/`, relative. */
  readonly name: string;
  /** CRC-32 of the bytes before compression. */
  readonly crc: number;
  readonly packed: number;
  readonly plain: number;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: the same files give the same archive. */
const DATE = 0x0021;

/** Stands before the bytes of an entry. */
function localRecord(entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  return record(30, name, (view) => {
    view.setUint32(0, 0x04034b50, true);
    facts(view, 4, entry, name.length);
  });
}

/** Stands in the directory at the end. `at`: where the entry's local record starts. */
function directoryRecord(entry: ZipEntry, at: number): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  return record(46, name, (view) => {
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(4, VERSION, true);
    facts(view, 6, entry, name.length);
    view.setUint32(42, at, true);
  });
}

interface Directory {
  readonly entries: number;
  readonly at: number;
  readonly bytes: number;
}

/** Ends the archive. */
function endRecord({ entries, at, bytes }: Directory): Uint8Array<ArrayBuffer> {
  return record(22, new Uint8Array(), (view) => {
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, entries, true);
    view.setUint16(10, entries, true);
    view.setUint32(12, bytes, true);
    view.setUint32(16, at, true);
  });
}

function record(length: number, name: Uint8Array, fill: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length + name.length);
  fill(new DataView(bytes.buffer));
  bytes.set(name, length);
  return bytes;
}

function facts(view: DataView, at: number, { crc, packed, plain }: ZipEntry, nameBytes: number) {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 4, DEFLATED, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, packed, true);
  view.setUint32(at + 18, plain, true);
  view.setUint16(at + 22, nameBytes, true);
}
