import { type Extent, functionExtent } from './function-extent.js';
import type { Position, RankInput } from './types.js';
import { ABSENT_RANK, DEPTH, LINE_SCALE, OTHER_FUNCTION, UNVERIFIED } from './weights.js';

/** What blame and history show about one commit. */
export interface Traces {
  readonly sha: string;
  readonly committed_at: string;
  /** Commit time in milliseconds. */
  readonly time: number;
  near: number;
  /** Like `near`, counting only lines whose reported source matches. */
  sure: number;
  /** Like `near`: 1 for a line of the crashed function, less for functions further down the stack. */
  inFunction: number;
  /** True: it last changed the newest line of the stack. */
  newestOwner: boolean;
  /** Best place in the history of a traced file. */
  historyRank: number;
  /** False: known only as one of the repository's recent commits. */
  inFile: boolean;
  /** True: it owns at least one line of a traced file. */
  ownsLine: boolean;
  /** Without duplicates. */
  readonly frames: number[];
  owned: { position: number; through: readonly string[] } | null;
  nearest: { position: number; distance: number } | null;
}

/** Number of functions in the stack whose owners count, from the crash on. */
const FUNCTIONS = 8;
/** Lines beyond this distance are not reported as a reason. */
const NEARBY_LINES = 20;
/** Lines beyond this distance do not affect a score. */
const FAR_LINES = 20 * LINE_SCALE;

/** Every commit that last changed a line of a traced file, is in a traced file's history, or is recent in the repository. */
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
      inFunction: 0,
      newestOwner: false,
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
  const extents = input.positions.map(({ path, line }) => {
    const lines = input.files.find((file) => file.path === path)?.lines;
    return lines ? functionExtent(lines, line) : null;
  });
  input.positions.forEach((position, index) => {
    addPosition(position, index, depth ** index, extents[index] ?? null, at);
  });
  addFunctions(input, extents, depth, at);
  const owners = [...traces.values()].filter(({ owned }) => owned !== null);
  const last = Math.max(...owners.map(({ time }) => time));
  for (const owner of owners) owner.newestOwner = owner.time === last;
  for (const entry of input.recent) at(entry.sha, entry.committed_at);
  return traces;
}

/** The owners of the functions around the stack's lines, at the crashed revision. */
function addFunctions(
  { positions, files }: RankInput,
  extents: readonly (Extent | null)[],
  depth: number,
  at: (sha: string, committed_at: string) => Traces,
): void {
  for (const [index, { path }] of positions.slice(0, FUNCTIONS).entries()) {
    const file = files.find((entry) => entry.path === path);
    const extent = extents[index] ?? null;
    if (!file || !extent) continue;
    for (const range of file.ranges) {
      if (range.end < extent.start || range.start > extent.end) continue;
      const owner = at(range.sha, range.committed_at);
      owner.inFunction = Math.max(owner.inFunction, depth ** index);
    }
  }
}

/**
 * If the reported source matches the line, the line is certain, even if a formatter wrote it. A skipped commit still counts
 * for what it wrote near the line: a pure formatter is not a candidate anyway, but one that also moved code may have broken it.
 */
function addPosition(
  position: Position,
  index: number,
  depth: number,
  extent: Extent | null,
  at: (sha: string, committed_at: string) => Traces,
): void {
  const through = new Set(position.lookedThrough);
  const sure = position.verified === true;
  const factor = depth * (position.verified === false ? UNVERIFIED : 1);
  for (const [version, view] of position.views.entries()) {
    for (const range of view.ranges) {
      if (range.start - view.line > FAR_LINES) break;
      if (view.line - range.end > FAR_LINES) continue;
      const distance = Math.max(range.start - view.line, view.line - range.end, 0);
      const found = at(range.sha, range.committed_at);
      found.inFile = true;
      const outside =
        version === 0 && extent !== null && (range.end < extent.start || range.start > extent.end);
      const nearness = Math.exp(-distance / LINE_SCALE) * (outside ? OTHER_FUNCTION : 1);
      found.near = Math.max(found.near, factor * nearness);
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
