import type { Port } from '../domain/port.js';

/** A place in a built JavaScript file, as a crash reports it. */
export interface BuiltFrame {
  /** The names under which the crash knows the file: a URL, an absolute path, a relative path. */
  readonly names: readonly string[];
  /** The file's debug id, lower-case with dashes; `null` if none was reported. */
  readonly debug_id: string | null;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** The places of one crash, the crashed one first. */
export interface SourceMapQuery {
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  readonly frames: readonly BuiltFrame[];
}

/** A place in the original source. */
export interface OriginalFrame {
  /** As the map names it, without schemes and `../`. */
  readonly source: string;
  /** 1-based. */
  readonly line: number;
  /** The original name of the identifier at that place; `null` if the map has none. */
  readonly name: string | null;
  /** Lines of the original around it, if the map contains them. */
  readonly context: { readonly from: number; readonly lines: readonly string[] } | null;
}

/**
 * What became of a place. `unmapped`: the map has no original for it. `no_map`: none was uploaded for the file.
 * `unreadable`: the stored map is damaged or took too long to read.
 */
export type SourceMapOutcome =
  | { readonly status: 'mapped'; readonly original: OriginalFrame }
  | { readonly status: 'unmapped' | 'no_map' | 'unreadable' };

/**
 * Finds originals in uploaded source maps. One outcome per frame, in order. Never fetches anything, and never rejects
 * because of a single map.
 */
export interface SourceMaps {
  originals(query: SourceMapQuery, signal: AbortSignal): Promise<readonly SourceMapOutcome[]>;
  /**
   * Whether a map was uploaded for each frame's file, in order, without reading any. Absent: what is missing is known only after
   * an analysis.
   */
  uploaded?(query: SourceMapQuery, signal: AbortSignal): Promise<readonly boolean[]>;
}
export const SourceMaps = Symbol('SourceMaps') as Port<SourceMaps | null>;
