import type { BuiltFrame, SourceMapQuery } from '@culprit/core';
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
  const byId = debug_id === null ? null : first(own, (file) => file.debug_id === debug_id);
  if (byId !== null) return byId;
  if (release === null) return null;
  const released = own.filter((upload) => upload.release === release);
  for (const wanted of dist === null ? [null] : [dist, null]) {
    const among = released.filter((upload) => upload.dist === wanted);
    const addresses = new Set(names.flatMap(addressesOf));
    const found =
      first(among, ({ url }) => url !== null && addresses.has(bare(url))) ?? bySuffix(among, names);
    if (found !== null) return found;
  }
  return null;
}

function first(uploads: readonly KeptUpload[], fits: (file: MapFile) => boolean): FoundMap | null {
  for (const upload of uploads) {
    const file = upload.files.find(fits);
    if (file !== undefined) return { upload, file };
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
  for (const upload of uploads) {
    let best = 0;
    let found: MapFile[] = [];
    for (const file of upload.files) {
      if (file.url === null) continue;
      const own = segments(bare(file.url).replace(HOST, '').replace(/^~/, ''));
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

const segments = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');

/** 0 unless one path ends with the other or both end in the same file name. */
function commonEnd(left: readonly string[], right: readonly string[]): number {
  let common = 0;
  while (common < left.length && common < right.length && left.at(-1 - common) === right.at(-1 - common))
    common++;
  return common;
}
