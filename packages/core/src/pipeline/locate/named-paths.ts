import type { CodeMapping } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { locateFrames } from './locate-frames.js';

/** Paths named for one crash. */
const MAX_PATHS = 300;

/** The paths that locating these frames looks up, crash first, each once. */
export function namedPaths(
  frames: readonly Frame[],
  platform: string,
  mappings: readonly CodeMapping[],
  learned: readonly CodeMapping[] = [],
): readonly string[] {
  const named = new Set<string>();
  const note = (path: string) => {
    if (named.size < MAX_PATHS) named.add(path);
  };
  const nothing = {
    has: (path: string) => {
      note(path);
      return false;
    },
    like: (path: string) => {
      note(path);
      return [];
    },
    consulted: new Set<string>(),
  };
  locateFrames(frames, platform, mappings, nothing, learned);
  return [...named];
}
