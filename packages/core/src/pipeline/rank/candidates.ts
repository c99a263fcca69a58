import type { Position, RankInput } from './types.js';
import { ABSENT_RANK, DEPTH, LINE_SCALE, UNVERIFIED } from './weights.js';

/** What blame and history say of one commit. */
export interface Traces {
  readonly sha: string;
  readonly committed_at: string;
  /** The same in milliseconds. */
  readonly time: number;
  near: number;
  /** As `near`, by lines that are known to be the crashed ones. */
  sure: number;
  /** Best place in the history of a traced file. */
  historyRank: number;
  /** False: known only as one of the repository's recent commits. */
  inFile: boolean;
  /** True: some line of a traced file is its own. */
  ownsLine: boolean;
  /** Each once. */
  readonly frames: number[];
  owned: { position: number; through: readonly string[] } | null;
  nearest: { position: number; distance: number } | null;
}

/** Lines further away than this add nothing worth a word. */
const NEARBY_LINES = 20;
/** Lines further away than this add nothing to a score. */
const FAR_LINES = 20 * LINE_SCALE;

/** Every commit that owns a line of a traced file, stands in one's history, or is recent in the repository. */
export function gatherTraces(input: RankInput): Map<string, Traces> {
  const traces = new Map<string, Traces>();
  const at = (sha: string, committed_at: string): Traces => {
    const known = traces.get(sha);
    if (known) return known;
    const made: Traces = {
      sha,
      committed_at,
      time: Date.parse(committed_at),
      near: 0,
      sure: 0,
      historyRank: ABSENT_RANK,
      inFile: false,
      ownsLine: false,
      frames: [],
      owned: null,
      nearest: null,
    };
    traces.set(sha, made);
    return made;
  };
  for (const file of input.files) {
    for (const range of file.ranges) {
      const found = at(range.sha, range.committed_at);
      found.inFile = true;
      found.ownsLine = true;
    }
    file.history.slice(0, ABSENT_RANK).forEach((entry, rank) => {
      const found = at(entry.sha, entry.committed_at);
      found.inFile = true;
      found.historyRank = Math.min(found.historyRank, rank);
    });
  }
  const depth = input.native ? DEPTH.native : DEPTH.core;
  input.positions.forEach((position, index) => {
    addPosition(position, index, depth ** index, at);
  });
  for (const entry of input.recent) at(entry.sha, entry.committed_at);
  return traces;
}

/**
 * Where the reported source stands at the line, the line is known; that a formatter wrote it says nothing about that. A
 * commit that was looked through keeps what it wrote near the line: a mere formatter is no candidate anyway, but one that
 * also moved code may have broken it.
 */
function addPosition(
  position: Position,
  index: number,
  depth: number,
  at: (sha: string, committed_at: string) => Traces,
): void {
  const through = new Set(position.lookedThrough);
  const sure = position.verified === true;
  const factor = depth * (position.verified === false ? UNVERIFIED : 1);
  for (const view of position.views) {
    for (const range of view.ranges) {
      if (range.start - view.line > FAR_LINES) break;
      if (view.line - range.end > FAR_LINES) continue;
      const distance = Math.max(range.start - view.line, view.line - range.end, 0);
      const found = at(range.sha, range.committed_at);
      found.inFile = true;
      found.near = Math.max(found.near, factor * Math.exp(-distance / LINE_SCALE));
      if (distance === 0) {
        if (sure) found.sure = Math.max(found.sure, factor);
        const behind = through.has(range.sha) ? [] : position.lookedThrough;
        found.owned ??= { position: index, through: behind };
        if (!found.frames.includes(position.frame)) found.frames.push(position.frame);
      } else if (distance <= NEARBY_LINES) {
        if (!found.frames.includes(position.frame)) found.frames.push(position.frame);
        if (found.nearest === null || distance < found.nearest.distance) {
          found.nearest = { position: index, distance };
        }
      }
    }
  }
}
