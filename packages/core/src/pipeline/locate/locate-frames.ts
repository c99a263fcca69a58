import type { CodeMapping, LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from './clean-path.js';
import { type FoundPath, findByMapping, findInTree } from './find-path.js';
import { learnFrom, trusted } from './learned-mappings.js';
import { findInstalled, pathGuesses } from './path-guesses.js';
import { type TreeIndex, topDirectory } from './tree-index.js';

/** Distinct lines that are located, crash first. */
export const MAX_POSITIONS = 25;
/** Frames examined. Infinite recursion repeats them. */
const MAX_FRAMES = 250;
/** Distinct file names looked up. */
const MAX_FILES = 60;

export function isNative(platform: string, frames: readonly Frame[]): boolean {
  if (/^(?:c|cpp|c\+\+|native|rust|objc|cocoa)$/i.test(platform)) return true;
  const crashed = frames.at(-1)?.file ?? '';
  return /\.(?:c|cc|cpp|cxx|h|hpp|rs)$/i.test(crashed);
}

/**
 * The frames that map to lines of the repository, crash first, each line once. Library frames are skipped, unless the
 * project itself runs as an installed package. The rules: `docs/decisions/0011-code-mapping.md`.
 */
export function locateFrames(
  frames: readonly Frame[],
  platform: string,
  mappings: readonly CodeMapping[],
  tree: TreeIndex,
  learned: readonly CodeMapping[] = [],
): readonly LocatedFrame[] {
  const candidates = ownFrames(frames);
  const found = new Map<number, FoundPath>();
  const near = new Set<string>();
  for (const among of [null, near]) {
    const shown = learnFrom(
      [...found].map(([frame, path]) => ({ frame, ...path })),
      frames,
    );
    const roots = { mappings, learned: [...learned, ...trusted(shown)] };
    const known = new Map<string, FoundPath | null>();
    for (const index of candidates) {
      const frame = frames[index];
      if (frame === undefined || found.has(index)) continue;
      const key = JSON.stringify([frame.file, frame.abs_path, frame.module]);
      if (!known.has(key) && known.size >= MAX_FILES) continue;
      const path = known.get(key) ?? findPath(frame, platform, roots, tree, among);
      known.set(key, path);
      if (path === null) continue;
      found.set(index, path);
      near.add(topDirectory(path.path));
    }
  }
  if (found.size > 0) return distinct(candidates, frames, found);
  return installed(frames, platform, tree);
}

/** Platforms that detect libraries by namespace, which may be the project's own. */
const BY_NAMESPACE = new Set(['java', 'kotlin', 'csharp']);

/** For a project that runs as an installed package, or is a well-known library, so no frame looks like its own. */
function installed(frames: readonly Frame[], platform: string, tree: TreeIndex): readonly LocatedFrame[] {
  const found = new Map<number, FoundPath>();
  const known = new Map<string, string | null>();
  const indices: number[] = [];
  const byNamespace = (frame: Frame) =>
    findPath(frame, platform, { mappings: [], learned: [] }, tree, null)?.path ?? null;
  for (let index = frames.length - 1; index >= 0 && indices.length < MAX_FRAMES; index--) {
    const frame = frames[index];
    const reported = frame?.abs_path ?? frame?.file ?? null;
    if (frame === undefined || !frame.line || reported === null || known.size >= MAX_FILES) continue;
    const named = BY_NAMESPACE.has(frame.platform ?? platform) && !isLibraryPath(reported);
    const key = `${reported} ${frame.module}`;
    const path = known.has(key)
      ? known.get(key)
      : (findInstalled(reported, tree) ?? (named ? byNamespace(frame) : null));
    known.set(key, path ?? null);
    if (!path) continue;
    indices.push(index);
    found.set(index, { path, how: 'suffix' });
  }
  return distinct(indices, frames, found);
}

/** Indices of the project's own frames, crash first. */
function ownFrames(frames: readonly Frame[]): readonly number[] {
  const own: number[] = [];
  for (let index = frames.length - 1; index >= 0 && own.length < MAX_FRAMES; index--) {
    const frame = frames[index];
    if (frame === undefined || frame.in_app === false || frame.line === null || frame.line < 1) continue;
    const path = frame.abs_path ?? frame.file;
    if (frame.in_app === null && path !== null && isLibraryPath(path)) continue;
    own.push(index);
  }
  return own;
}

interface Roots {
  readonly mappings: readonly CodeMapping[];
  readonly learned: readonly CodeMapping[];
}

/** Explicit mappings, then the path itself, then learned mappings, then the longest common suffix. */
function findPath(
  frame: Frame,
  platform: string,
  { mappings, learned }: Roots,
  tree: TreeIndex,
  near: ReadonlySet<string> | null,
): FoundPath | null {
  const reported = [frame.abs_path, frame.file].flatMap((path) => (path === null ? [] : [path]));
  const cleaned = reported.flatMap((path) => cleanPath(path) ?? []);
  const mapped = findByMapping([...reported, ...cleaned], mappings, tree);
  if (mapped) return mapped;
  const guesses = pathGuesses(frame, platform);
  for (const guess of guesses) if (tree.has(guess)) return { path: guess, how: 'exact' };
  const byLearned = findByMapping([...reported, ...cleaned], learned, tree);
  if (byLearned) return byLearned;
  for (const guess of guesses) {
    const path = findInTree(guess, tree, near);
    if (path) return path;
  }
  return null;
}

function distinct(
  candidates: readonly number[],
  frames: readonly Frame[],
  found: ReadonlyMap<number, FoundPath>,
): readonly LocatedFrame[] {
  const located: LocatedFrame[] = [];
  const seen = new Set<string>();
  for (const index of candidates) {
    const frame = frames[index];
    const path = found.get(index);
    if (frame === undefined || frame.line === null || path === undefined) continue;
    const key = `${path.path}:${frame.line}`;
    if (seen.has(key)) continue;
    seen.add(key);
    located.push({ frame: index, ...path, line: frame.line, function: frame.function, verified: null });
    if (located.length === MAX_POSITIONS) break;
  }
  return located;
}
