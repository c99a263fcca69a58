import { mutex } from '@culprit/core/internal/resilience/mutex';
import { sweepChunks } from './chunk-owners.js';
import { type MapDirectory, markUsed, names, readUpload, removeOld, removeUpload } from './directory.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';
import type { Exceeded } from './quota-reached.js';
import { bytesOf, type KeptUpload, type MapFile } from './upload.js';

/** The uploads of a folder, which other processes may change too. */
export interface KeptUploads {
  /** Newest first. */
  list(): Promise<readonly KeptUpload[]>;
  markUsed(uploads: readonly KeptUpload[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Bytes that a new upload of these projects may need: what is free, and what uploads hold that nobody has used for a week. */
  room(projects: readonly string[]): Promise<Room>;
  /**
   * Deletes resting uploads, the one used least recently first, until `files` fit: of a project while they exceed its quota, then
   * of any. Resolves with what they exceed, `null` if they fit.
   */
  makeRoom(files: readonly MapFile[], projects: readonly string[]): Promise<Exceeded | null>;
  /** Deletes what is kept no longer: old uploads, maps of no upload, leftovers. */
  sweep(): Promise<readonly KeptUpload[]>;
}

/** Bytes that are free, and by which quota. */
export interface Room extends Exceeded {
  readonly bytes: number;
}

export interface KeptUploadsOptions {
  readonly directory: MapDirectory;
  /** Bytes of all maps, and of the maps of each project. */
  readonly quotaBytes: number;
  readonly projectQuotaBytes: number;
  /** How long an upload is kept after its last use. */
  readonly keepMs: number;
  readonly now: () => number;
}

export function keptUploads(options: KeptUploadsOptions): KeptUploads {
  const { directory, quotaBytes, projectQuotaBytes, keepMs, now } = options;
  const known = new Map<string, KeptUpload>();
  const oneAtATime = mutex();

  /** Reads only what is new: the file of an upload never changes. */
  const refresh = async (): Promise<readonly KeptUpload[]> => {
    const ids = new Set(
      (await names(directory.uploads)).flatMap((name) => /^([0-9a-f]{24})\.json$/.exec(name)?.[1] ?? []),
    );
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    for (const id of ids) {
      const upload = known.has(id) ? null : await readUpload(directory, id);
      if (upload !== null) known.set(id, upload);
    }
    return [...known.values()].sort(
      (left, right) => right.uploaded_at.localeCompare(left.uploaded_at) || left.id.localeCompare(right.id),
    );
  };
  const list = () => oneAtATime(refresh);
  /** Other processes mark uses, too. */
  const byUse = async (): Promise<readonly KeptUpload[]> => {
    for (const { id } of await list()) {
      const upload = await readUpload(directory, id);
      if (upload !== null) known.set(id, upload);
    }
    return [...known.values()].sort((left, right) => left.used_at.localeCompare(right.used_at));
  };
  /** Maps of no upload. A younger one may belong to an upload that is being unpacked. */
  const removeMaps = (before: number, coming: readonly MapFile[] = []) => {
    const wanted = new Set([...known.values(), { files: coming }].flatMap(mapsOf));
    return removeOld(directory.maps, before, (name) => wanted.has(name));
  };
  const remove = async (ids: readonly string[], coming: readonly MapFile[] = []) => {
    for (const id of ids) {
      await removeUpload(directory, id);
      known.delete(id);
    }
    if (ids.length > 0) await removeMaps(now() - LIMITS.unpackMs * 2, coming);
  };
  const isResting = ({ used_at }: KeptUpload) => now() - Date.parse(used_at) > LIMITS.restingMs;
  const filesOf = (uploads: readonly KeptUpload[]) =>
    uploads.reduce((sum, { files }) => sum + files.length, 0);
  return {
    list,
    remove: (ids) => remove(ids),
    async markUsed(uploads) {
      for (const upload of uploads) known.set(upload.id, await markUsed(directory, upload, now()));
    },
    async room(projects) {
      const kept = (await byUse()).filter((upload) => !isResting(upload));
      const rooms: readonly Room[] = [
        { project: null, bytes: quotaBytes - bytesOf(kept) },
        ...projects.map((project) => {
          return { project, bytes: projectQuotaBytes - bytesOf(kept.filter(isOf(project))) };
        }),
      ];
      return rooms.reduce((least, room) => (room.bytes < least.bytes ? room : least));
    },
    async makeRoom(files, projects) {
      let left = await byUse();
      const until = async (fits: () => boolean, candidate: (upload: KeptUpload) => boolean) => {
        while (!fits()) {
          const oldest = left.find(candidate);
          if (oldest === undefined || !isResting(oldest)) return false;
          await remove([oldest.id], files);
          left = left.filter((upload) => upload !== oldest);
        }
        return true;
      };
      for (const project of projects) {
        const fits = () => bytesOf([...left.filter(isOf(project)), { files }]) <= projectQuotaBytes;
        if (!(await until(fits, isOf(project)))) return { project };
      }
      const fits = () =>
        bytesOf([...left, { files }]) <= quotaBytes && filesOf(left) + files.length <= LIMITS.allFiles;
      return (await until(fits, () => true)) ? null : { project: null };
    },
    async sweep() {
      const gone = (await byUse()).filter(({ used_at }) => now() - Date.parse(used_at) > keepMs);
      await remove(gone.map(({ id }) => id));
      const before = now() - LIMITS.leftoverMs;
      await sweepChunks(directory, now(), before);
      await removeOld(directory.parts, before);
      await removeMaps(before);
      return gone;
    },
  };
}

const isOf =
  (project: string) =>
  (upload: KeptUpload): boolean =>
    upload.project === project;
const mapsOf = ({ files }: { readonly files: readonly MapFile[] }) => files.map(({ map }) => map);
