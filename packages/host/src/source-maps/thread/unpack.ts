import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import {
  createMapDirectory,
  isDiskFull,
  type MapDirectory,
  partPath,
  syncFolder,
  touch,
} from '../directory.js';
import type { Room } from '../kept-uploads.js';
import { SOURCE_MAP_LIMITS as LIMITS } from '../limits.js';
import { quotaReached } from '../quota-reached.js';
import type { MapFile } from '../upload.js';
import { checkMap } from './read-map.js';

export interface UnpackRequest {
  readonly directory: MapDirectory;
  /** SHA-1 of the archive, and of its chunks in order. */
  readonly checksum: string;
  readonly chunks: readonly string[];
  /** What the maps may need. */
  readonly room: Room;
}
export interface Unpacked {
  readonly files: readonly MapFile[];
  /** Names of maps that are not source maps. */
  readonly unreadable: readonly string[];
}

/** What is wrong with an archive, as text for its sender. */
export class RefusedArchive extends Error {}

/** Stores the source maps of an archive. Nothing else of it is kept. @throws {@link RefusedArchive} */
export async function unpack(request: UnpackRequest): Promise<Unpacked> {
  const { directory } = request;
  createMapDirectory(directory);
  const archive = partPath(directory);
  try {
    await joinChunks(request, archive);
    const zip = await opened(archive);
    try {
      return await storeMaps(zip, request);
    } finally {
      zip.close();
    }
  } finally {
    await rm(archive, { force: true });
  }
}

/** Joins the chunks to one file. */
async function joinChunks({ directory, chunks, checksum }: UnpackRequest, archive: string): Promise<void> {
  const hash = createHash('sha1');
  const file = await open(archive, 'wx', 0o600);
  try {
    for (const name of chunks) {
      for await (const part of createReadStream(join(directory.chunks, name))) {
        hash.update(part);
        await file.writeFile(part);
      }
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== checksum)
    throw new RefusedArchive('The checksum of the archive does not match its chunks. Upload it again.');
}

async function opened(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false });
  } catch (error) {
    throw new RefusedArchive(`The upload is not a ZIP archive: ${messageOf(error)}`);
  }
}

async function storeMaps(zip: ZipFile, { directory, room }: UnpackRequest): Promise<Unpacked> {
  const entries = await entriesOf(zip);
  const maps = await manifestOf(zip, entries);
  const needed = checkSizes(maps, entries);
  if (needed > room.bytes) {
    const free = mib(Math.max(0, room.bytes));
    throw new RefusedArchive(quotaReached(room, `: ${mib(needed)} MiB are needed, ${free} MiB are free`));
  }
  const files: MapFile[] = [];
  const unreadable: string[] = [];
  for (const { entry, built } of maps) {
    const found = entries.get(entry);
    const stored = found === undefined ? null : await storeMap(zip, found, directory);
    if (stored === null) unreadable.push(built[0]?.url ?? entry);
    else for (const one of built) files.push({ ...one, ...stored });
  }
  await syncFolder(directory.maps);
  if (files.length === 0)
    throw new RefusedArchive(
      unreadable.length === 0
        ? 'The archive contains no source map. Build with source maps, and upload the folder that contains them.'
        : `No source map of the archive can be read. The first one: ${unreadable[0]}`,
    );
  if (files.length > LIMITS.files)
    throw new RefusedArchive(`The archive has over ${LIMITS.files} built files. Upload it in parts.`);
  return { files, unreadable: unreadable.slice(0, 20) };
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > LIMITS.entries)
      throw new RefusedArchive(`The archive has over ${LIMITS.entries} entries. Upload it in parts.`);
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  } catch (error) {
    throw error instanceof RefusedArchive ? error : new RefusedArchive(`The archive: ${messageOf(error)}`);
  }
  return entries;
}

async function manifestOf(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<readonly BundledMap[]> {
  const entry = entries.get('manifest.json');
  if (entry === undefined) throw new RefusedArchive('The archive has no manifest.json.');
  if (entry.uncompressedSize > LIMITS.manifestBytes)
    throw new RefusedArchive('The manifest.json of the archive is too large.');
  const parts: Buffer[] = [];
  try {
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    return bundledMaps(JSON.parse(Buffer.concat(parts).toString('utf8')));
  } catch {
    throw new RefusedArchive('The manifest.json of the archive cannot be read.');
  }
}

/** The sizes that the archive states; the reader ends with an error where they are wrong. */
function checkSizes(maps: readonly BundledMap[], entries: ReadonlyMap<string, Entry>): number {
  let sum = 0;
  for (const { entry } of maps) {
    const size = entries.get(entry)?.uncompressedSize ?? 0;
    if (size > LIMITS.mapBytes)
      throw new RefusedArchive(
        `${entry} is larger than ${mib(LIMITS.mapBytes)} MiB, the limit of one source map.`,
      );
    sum += size;
  }
  if (sum > LIMITS.archiveMapBytes)
    throw new RefusedArchive(
      `The archive has over ${mib(LIMITS.archiveMapBytes)} MiB of source maps. Upload it in parts.`,
    );
  return sum;
}

/** `null` if the entry is not a source map. */
async function storeMap(
  zip: ZipFile,
  entry: Entry,
  directory: MapDirectory,
): Promise<Pick<MapFile, 'map' | 'bytes'> | null> {
  const part = partPath(directory);
  try {
    const map = await extract(zip, entry, part);
    try {
      checkMap(part);
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
    const path = join(directory.maps, map);
    if (!(await touch(path, Date.now()))) await rename(part, path);
    return { map, bytes: entry.uncompressedSize };
  } finally {
    await rm(part, { force: true });
  }
}

async function extract(zip: ZipFile, entry: Entry, path: string): Promise<string> {
  const hash = createHash('sha256');
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const part of await zip.openReadStreamPromise(entry)) {
      hash.update(part as Buffer);
      // Not write(): on a full disk it may write a part and report no error.
      await file.writeFile(part as Buffer);
    }
    await file.sync();
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw new RefusedArchive(`${entry.fileName} cannot be unpacked: ${messageOf(error)}`);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

const mib = (bytes: number) => Math.ceil(bytes / (1024 * 1024));
const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown error');

/** `manifest.json` of an artifact bundle, as sentry-cli and the bundler plugins write it. Unknown members are ignored. */
const manifestSchema = v.object({
  files: v.record(
    v.string(),
    v.object({
      type: v.optional(v.string()),
      url: v.optional(v.string()),
      headers: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
});

/** A source map of an archive, and the built files that it is for. */
interface BundledMap {
  /** The name of the map's entry in the archive. */
  readonly entry: string;
  readonly built: readonly { readonly url: string | null; readonly debug_id: string | null }[];
}

const URL_CHARS = 1024;
const DEBUG_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Described {
  readonly entry: string;
  readonly url: string;
  readonly debug_id: string | null;
  readonly map: string | null;
}

/** The source maps that a manifest describes. A built file names its map by debug id or by `sourcemap`. */
function bundledMaps(json: unknown): readonly BundledMap[] {
  const { files } = v.parse(manifestSchema, json);
  const maps: Described[] = [];
  const scripts: Described[] = [];
  for (const [entry, { type, url = '', headers = {} }] of Object.entries(files)) {
    const header = (name: string) => {
      const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
      return typeof found === 'string' ? found : null;
    };
    const id = header('debug-id')?.toLowerCase() ?? null;
    const debug_id = id !== null && DEBUG_ID.test(id) ? id : null;
    const described = { entry, url: url.slice(0, URL_CHARS), debug_id, map: header('sourcemap') };
    if (type === 'source_map') maps.push(described);
    if (type === 'minified_source') scripts.push(described);
  }
  const byUrl = new Map(maps.map((map) => [map.url, map]));
  const byId = new Map(maps.flatMap((map) => (map.debug_id === null ? [] : [[map.debug_id, map] as const])));
  const built = new Map<Described, { url: string | null; debug_id: string | null }[]>(
    maps.map((map) => [map, []]),
  );
  for (const { url, debug_id, map } of scripts) {
    const named = map === null ? null : byUrl.get(relativeTo(url, map));
    const found = byId.get(debug_id ?? '') ?? named ?? byUrl.get(`${url}.map`);
    if (found) built.get(found)?.push({ url, debug_id: debug_id ?? found.debug_id });
  }
  return maps.map((map) => {
    const own = built.get(map) ?? [];
    const alone = { url: /\.map$/.test(map.url) ? map.url.slice(0, -4) : null, debug_id: map.debug_id };
    return { entry: map.entry, built: own.length === 0 ? [alone] : own };
  });
}

/** `~/assets/app.js` and `../maps/app.js.map` give `~/maps/app.js.map`. */
function relativeTo(url: string, reference: string): string {
  if (/^(?:~\/|[a-z][a-z0-9+.-]*:)/i.test(reference)) return reference;
  const host = /^(?:~|[a-z][a-z0-9+.-]*:\/\/[^/]*)/i.exec(url)?.[0] ?? '';
  const parts = reference.startsWith('/') ? [] : url.slice(host.length).split('/').slice(1, -1);
  for (const part of reference.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${host}/${parts.join('/')}`;
}
