import { AnyMap, originalPositionFor } from '@jridgewell/trace-mapping';
import type { Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from './clean-path.js';
import { findInTree } from './find-path.js';
import type { TreeIndex } from './tree-index.js';

/** A location in a built file. */
export interface BuiltPlace {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}
/** The location in the original source. */
export interface OriginalPlace {
  readonly source: string;
  /** 1-based. */
  readonly line: number;
  readonly name: string | null;
}
/** Looks up all places of one map, in order. Rejects if the map cannot be read. */
export type ReadOriginals = (
  map: string,
  places: readonly BuiltPlace[],
) => Promise<readonly (OriginalPlace | null)[]>;

/** Maps read for one crash. */
const MAX_MAPS = 4;
const MAX_PLACES = 100;

/**
 * Maps frames in built JavaScript to their sources, with the source maps in the repository at the crashed revision. Nothing
 * is fetched. Frames without a map, and the order of the frames, do not change.
 */
export async function withSourceMaps(
  frames: readonly Frame[],
  tree: TreeIndex,
  read: ReadOriginals,
): Promise<readonly Frame[]> {
  const byMap = new Map<string, number[]>();
  for (let index = frames.length - 1; index >= 0; index--) {
    const frame = frames[index];
    const map = frame === undefined ? null : mapOf(frame, tree);
    if (map === null || (!byMap.has(map) && byMap.size >= MAX_MAPS)) continue;
    const indices = byMap.get(map) ?? [];
    byMap.set(map, indices);
    if (indices.length < MAX_PLACES) indices.push(index);
  }
  const mapped = [...frames];
  for (const [map, indices] of byMap) {
    const places = indices.map((index) => ({
      line: frames[index]?.line ?? 0,
      column: frames[index]?.column ?? 0,
    }));
    const originals = await read(map, places);
    for (const [at, index] of indices.entries()) {
      const frame = frames[index];
      const original = originals[at];
      if (frame && original) mapped[index] = originalFrame(frame, original);
    }
  }
  return mapped;
}

/** The source map that is asked for a frame; `null` if none is. */
export function mapOf(frame: Frame, tree: TreeIndex): string | null {
  return frame.in_app !== false && frame.line && frame.column ? sourceMapOf(frame, tree) : null;
}

/** The source map next to the frame's built file in the repository. */
export function sourceMapOf(frame: Frame, tree: TreeIndex): string | null {
  for (const reported of [frame.abs_path, frame.file]) {
    const path = reported === null ? null : cleanPath(reported);
    if (path === null || !/\.[cm]?js$/i.test(path)) continue;
    const found = findInTree(`${path}.map`, tree, null);
    if (found) return found.path;
  }
  return null;
}

/** The reported source lines are the bundle's, so they are dropped. The name is the bundle's if the map has no other. */
export function originalFrame(frame: Frame, { source, line, name }: OriginalPlace): Frame {
  return {
    ...frame,
    file: source,
    abs_path: null,
    line,
    column: null,
    function: name ?? frame.function,
    in_app: isLibraryPath(source) ? false : frame.in_app,
    context_line: null,
    pre_context: [],
    post_context: [],
  };
}

/** Looks up places in the text of the map at path `map`; all `null` if it is not a source map. */
export function originalsIn(
  text: string | null,
  map: string,
  places: readonly BuiltPlace[],
): readonly (OriginalPlace | null)[] {
  try {
    const traced = new AnyMap((text ?? '').replace(/^\)\]\}'[^\n]*\n/, ''), map);
    return places.map(({ line, column }) => {
      const found = originalPositionFor(traced, { line, column: column - 1 });
      return found.source === null ? null : { source: found.source, line: found.line, name: found.name };
    });
  } catch {
    return places.map(() => null);
  }
}
