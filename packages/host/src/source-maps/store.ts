import { join } from 'node:path';
import type { Logger } from '@culprit/core';
import type { SourceMapOutcome, SourceMaps } from '@culprit/core/internal/ports/source-maps';
import { once } from '@culprit/core/internal/resilience/once';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import { type ArchiveRequest, type ArchiveState, archives } from './assemble.js';
import { dropChunks } from './chunk-owners.js';
import { type KeptChunks, keptChunks } from './chunks.js';
import { type MapDirectory, mapDirectory } from './directory.js';
import { type FoundMap, findMap } from './find-map.js';
import { type KeptUploads, keptUploads } from './kept-uploads.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';
import { startThread, type Thread } from './thread/start-thread.js';
import type { KeptUpload } from './upload.js';

interface SourceMapStoreOptions {
  /** Created with the first upload. Several cores may share it. */
  readonly directory: string;
  /** Bytes of all maps together. */
  readonly quotaBytes: number;
  /** Bytes of the maps of each project. Default: `quotaBytes`. */
  readonly projectQuotaBytes?: number | null;
  /** How long an upload is kept after its last use. */
  readonly keepMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** Uploaded source maps in a folder. */
export interface SourceMapStore extends SourceMaps {
  readonly quotaBytes: number;
  readonly projectQuotaBytes: number | null;
  /** How long an upload is kept after its last use. */
  readonly keepMs: number;
  readonly storeChunk: KeptChunks['store'];
  /** Deletes the chunks of a credential that was revoked, by the id of their owner. */
  dropChunks(owner: string): Promise<void>;
  /** Turns chunks into uploads, or says what is missing. */
  assemble(request: ArchiveRequest): Promise<ArchiveState>;
  /** Newest first. */
  uploads(): Promise<readonly KeptUpload[]>;
  remove(id: string): Promise<void>;
  /** Deletes what is kept no longer. Also done every hour. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_MS = 60 * 60_000;

export function openSourceMaps(options: SourceMapStoreOptions): SourceMapStore {
  const { quotaBytes, keepMs, logger, now = Date.now } = options;
  const directory = mapDirectory(options.directory);
  const projectQuotaBytes = options.projectQuotaBytes ?? null;
  const bounds = { quotaBytes, projectQuotaBytes: projectQuotaBytes ?? quotaBytes };
  const uploads = keptUploads({ directory, ...bounds, keepMs, now });
  const chunks = keptChunks({ directory, quotaBytes, now });
  // An upload that takes minutes to unpack must not delay the analysis of a crash.
  const threads = { unpacking: startThread(), reading: startThread() };
  const sweep = async () => {
    const gone = await uploads.sweep();
    if (gone.length > 0) logger.info({ uploads: gone.length }, 'unused source maps were deleted');
  };
  let sweeping = Promise.resolve();
  const inBackground = () => {
    sweeping = sweep().catch((error: unknown) => logger.warn({ err: error }, 'source maps were not swept'));
  };
  const timer = setInterval(inBackground, SWEEP_MS).unref();
  inBackground();
  return {
    quotaBytes,
    projectQuotaBytes,
    keepMs,
    originals: originalsOf({ directory, uploads, thread: threads.reading }),
    async uploaded(query) {
      const kept = await uploads.list();
      return query.frames.map((frame) => findMap(kept, query, frame) !== null);
    },
    storeChunk: chunks.store,
    dropChunks: (owner) => dropChunks(directory, owner),
    assemble: archives({ directory, uploads, chunks, thread: threads.unpacking, logger, now }),
    uploads: () => uploads.list(),
    remove: (id) => uploads.remove([id]),
    sweep,
    close: once(async () => {
      clearInterval(timer);
      await Promise.all([sweeping, threads.unpacking.close(), threads.reading.close()]);
    }),
  };
}

interface OriginalsParts {
  readonly directory: MapDirectory;
  readonly uploads: KeptUploads;
  readonly thread: Thread;
}

/** Looks up the frames of a crash in the uploaded maps, each map once, in a thread. */
function originalsOf({ directory, uploads, thread }: OriginalsParts): SourceMaps['originals'] {
  return async (query, signal) => {
    const outcomes: SourceMapOutcome[] = query.frames.map(() => ({ status: 'no_map' }));
    const kept = await uploads.list();
    const byMap = new Map<string, { readonly found: FoundMap; readonly indices: number[] }>();
    for (const [index, frame] of query.frames.entries()) {
      const found = findMap(kept, query, frame);
      if (found === null) continue;
      const { map } = found.file;
      const group = byMap.get(map) ?? { found, indices: [] };
      if (!byMap.has(map) && byMap.size >= LIMITS.mapsPerCrash) continue;
      byMap.set(map, group);
      group.indices.push(index);
    }
    for (const [map, { indices }] of byMap) {
      const places = indices.map((index) => ({
        line: query.frames[index]?.line ?? 0,
        column: query.frames[index]?.column ?? 0,
      }));
      const path = join(directory.maps, map);
      const originals = await untilAborted(
        thread.run('read', { path, places }, LIMITS.readMs).catch(() => null),
        signal,
      );
      for (const [at, index] of indices.entries()) {
        const original = originals?.[at];
        outcomes[index] = original
          ? { status: 'mapped', original }
          : { status: originals === null ? 'unreadable' : 'unmapped' };
      }
    }
    await uploads.markUsed([...new Set([...byMap.values()].map(({ found }) => found.upload))]);
    return outcomes;
  };
}
