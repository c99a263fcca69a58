import { join } from 'node:path';
import type { SourceMapOutcome, SourceMaps } from '@culprit/core/internal/ports/source-maps';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import type { MapDirectory } from './directory.js';
import { type FoundMap, findMap } from './find-map.js';
import type { KeptUploads } from './kept-uploads.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';
import type { Thread } from './thread/start-thread.js';

export interface OriginalsParts {
  readonly directory: MapDirectory;
  readonly uploads: KeptUploads;
  readonly thread: Thread;
}

/** Looks up the frames of a crash in the uploaded maps, each map once, in a thread. */
export function originalsOf({ directory, uploads, thread }: OriginalsParts): SourceMaps['originals'] {
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
