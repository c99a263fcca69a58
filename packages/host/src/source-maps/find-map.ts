import type { BuiltFrame, SourceMapQuery } from '@culprit/core/internal/ports/source-maps';
import type { KeptUpload, MapFile } from './upload.js';

/** The map of a built file, and the upload that brought it. */
export interface FoundMap {
  readonly upload: KeptUpload;
  readonly file: MapFile;
}

type Asked = Pick<SourceMapQuery, 'project' | 'release' | 'dist'>;

/**
 * Finds the map of a frame's file, newest upload first: by debug id; else, in uploads of the crash's release, by address.
 * `uploads`: newest first.
 */
export function findMap(
  uploads: readonly KeptUpload[],
  { project, release, dist }: Asked,
  { debug_id, names }: BuiltFrame,
): FoundMap | null {
  const own = uploads.filter((upload) => upload.project === project);
  const byId = debug_id === null ? null : first(own, ({ byDebugId }) => byDebugId.get(debug_id));
  if (byId !== null) return byId;
  if (release === null) return null;
  const released = own.filter((upload) => upload.release === release);
  for (const wanted of dist === null ? [null] : [dist, null]) {
    const among = released.filter((upload) => upload.dist === wanted);
    const addresses = names.flatMap(addressesOf);
    const found =
      first(among, ({ byUrl }) => firstOf(addresses, (address) => byUrl.get(address))) ??
      bySuffix(among, names);
    if (found !== null) return found;
  }
  return null;
}

/** An upload has thousands of files, and a crash hundreds of frames: each upload is gone through once. */
interface FileIndex {
  readonly byDebugId: ReadonlyMap<string, MapFile>;
  readonly byUrl: ReadonlyMap<string, MapFile>;
  /** By the last segment of the address. */
  readonly byName: ReadonlyMap<string, readonly MapFile[]>;
}
const indexes = new WeakMap<KeptUpload['files'], FileIndex>();

function indexOf({ files }: KeptUpload): FileIndex {
  const known = indexes.get(files);
  if (known !== undefined) return known;
  const byDebugId = new Map<string, MapFile>();
  const byUrl = new Map<string, MapFile>();
  const byName = new Map<string, MapFile[]>();
  for (const file of files) {
    const { debug_id, url } = file;
    if (debug_id !== null && !byDebugId.has(debug_id)) byDebugId.set(debug_id, file);
    if (url === null) continue;
    if (!byUrl.has(bare(url))) byUrl.set(bare(url), file);
    const name = segmentsOf(url).at(-1);
    if (name === undefined) continue;
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [file]);
    else same.push(file);
  }
  const index = { byDebugId, byUrl, byName };
  indexes.set(files, index);
  return index;
}

function first(
  uploads: readonly KeptUpload[],
  find: (index: FileIndex) => MapFile | null | undefined,
): FoundMap | null {
  return firstOf(uploads, (upload) => {
    const file = find(indexOf(upload));
    return file && { upload, file };
  });
}

function firstOf<One, Result>(
  all: readonly One[],
  find: (one: One) => Result | null | undefined,
): Result | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}

const HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
const bare = (url: string) => url.replace(/[?#].*$/s, '');

/** The whole address, and the one with `~` for any scheme and host. */
function addressesOf(name: string): readonly string[] {
  const path = name.replace(HOST, '').replaceAll('\\', '/');
  return [name, `~${path.startsWith('/') ? '' : '/'}${path}`];
}

/**
 * The built file with the most trailing path segments in common with a name: `/srv/app/dist/server.js` finds `~/dist/server.js`,
 * else `~/server.js`. Two files with equally many find nothing, unless they have the same map.
 */
function bySuffix(uploads: readonly KeptUpload[], names: readonly string[]): FoundMap | null {
  const wanted = names.map((name) => segments(name.replace(HOST, '').replaceAll('\\', '/')));
  const lastNames = [...new Set(wanted.flatMap((one) => one.at(-1) ?? []))];
  for (const upload of uploads) {
    let best = 0;
    let found: MapFile[] = [];
    for (const file of lastNames.flatMap((name) => indexOf(upload).byName.get(name) ?? [])) {
      const own = segmentsOf(file.url ?? '');
      const common = Math.max(0, ...wanted.map((one) => commonEnd(one, own)));
      if (common === 0 || common < best) continue;
      if (common > best) found = [];
      best = common;
      found.push(file);
    }
    const [file] = found;
    if (file !== undefined && found.every(({ map }) => map === file.map)) return { upload, file };
  }
  return null;
}

const segmentsOf = (url: string) => segments(bare(url).replace(HOST, '').replace(/^~/, ''));
const segments = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');

/** 0 unless one path ends with the other or both end in the same file name. */
function commonEnd(left: readonly string[], right: readonly string[]): number {
  let common = 0;
  while (common < left.length && common < right.length && left.at(-1 - common) === right.at(-1 - common))
    common++;
  return common;
}
