import type { CodeMapping, LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { cleanPath } from './clean-path.js';
import { findByMapping } from './find-path.js';
import { locateFrames } from './locate-frames.js';
import { findInstalled, pathGuesses } from './path-guesses.js';
import { sourceMapOf } from './source-maps.js';
import type { TreeIndex } from './tree-index.js';

export interface LocationStep {
  readonly step: 'own' | 'clean' | 'mapping' | 'guess' | 'installed' | 'map' | 'result';
  readonly detail: string;
}
export interface LocationExplained {
  readonly located: LocatedFrame | null;
  readonly steps: readonly LocationStep[];
}

const SHOWN = 5;

/** Locates one frame like {@link locateFrames} and reports what each rule found. */
export function explainFrame(
  frame: Frame,
  platform: string,
  mappings: readonly CodeMapping[],
  tree: TreeIndex,
): LocationExplained {
  const steps: LocationStep[] = [];
  const report = (step: LocationStep['step'], detail: string) => void steps.push({ step, detail });
  const reported = [frame.abs_path, frame.file].flatMap((path) => path ?? []);
  report(
    'own',
    frame.in_app === false
      ? 'library frame: skipped unless the project itself runs as an installed package'
      : 'treated as the project’s own code',
  );
  const cleaned = reported.flatMap((path) => cleanPath(path) ?? []);
  report('clean', cleaned.length === 0 ? 'not a file' : cleaned.join(', '));
  for (const mapping of mappings) {
    const found = findByMapping([...reported, ...cleaned], [mapping], tree);
    const pair = `${mapping.stack_root || '(all)'} → ${mapping.source_root || '(root)'}`;
    report('mapping', found === null ? `${pair}: no such file` : `${pair}: ${found.path}`);
  }
  for (const guess of pathGuesses(frame, platform)) report('guess', guessResult(guess, tree));
  for (const path of reported) {
    const found = findInstalled(path, tree);
    if (found !== null) report('installed', `installed from ${found}`);
  }
  const map = sourceMapOf(frame, tree);
  if (map !== null) report('map', `${map} exists: a frame with line and column is mapped to its source`);
  const [located = null] = locateFrames([frame], platform, mappings, tree);
  report('result', located === null ? 'no file found' : `${located.path}, by ${located.how}`);
  return { located, steps };
}

function guessResult(guess: string, tree: TreeIndex): string {
  if (tree.has(guess)) return `${guess}: exists`;
  const like = tree.like(guess);
  if (like.length === 0) return `${guess}: no path ends with it`;
  const more = like.length > SHOWN ? ` and ${like.length - SHOWN} more` : '';
  return `${guess}: similar to ${like.slice(0, SHOWN).join(', ')}${more}`;
}
