import type { CodeMapping, LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';
import { cleanPath } from './clean-path.js';
import { findByMapping } from './find-path.js';
import { findInstalled } from './installed-path.js';
import { locateFrames } from './locate-frames.js';
import { pathGuesses } from './path-guesses.js';
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

/** One frame's way to a file, each rule with what it found. The result is that of {@link locateFrames}. */
export function explainFrame(
  frame: Frame,
  platform: string,
  mappings: readonly CodeMapping[],
  tree: TreeIndex,
): LocationExplained {
  const steps: LocationStep[] = [];
  const say = (step: LocationStep['step'], detail: string) => void steps.push({ step, detail });
  const reported = [frame.abs_path, frame.file].flatMap((path) => path ?? []);
  say(
    'own',
    frame.in_app === false
      ? 'looks like a library: passed over, unless the project runs installed'
      : 'followed as the project’s own code',
  );
  const cleaned = reported.flatMap((path) => cleanPath(path) ?? []);
  say('clean', cleaned.length === 0 ? 'names no file' : cleaned.join(', '));
  for (const mapping of mappings) {
    const found = findByMapping([...reported, ...cleaned], [mapping], tree);
    const pair = `${mapping.stack_root || '(all)'} → ${mapping.source_root || '(root)'}`;
    say('mapping', found === null ? `${pair}: leads to no file` : `${pair}: ${found.path}`);
  }
  for (const guess of pathGuesses(frame, platform)) say('guess', sayGuess(guess, tree));
  for (const path of reported) {
    const found = findInstalled(path, tree);
    if (found !== null) say('installed', `inside its package it is ${found}`);
  }
  const map = sourceMapOf(frame, tree);
  if (map !== null)
    say('map', `${map} is there: with line and column the frame is told in terms of its sources`);
  const [located = null] = locateFrames([frame], platform, mappings, tree);
  say('result', located === null ? 'no file' : `${located.path}, by ${located.how}`);
  return { located, steps };
}

function sayGuess(guess: string, tree: TreeIndex): string {
  if (tree.has(guess)) return `${guess}: is there`;
  const like = tree.like(guess);
  if (like.length === 0) return `${guess}: nothing ends like it`;
  const more = like.length > SHOWN ? ` and ${like.length - SHOWN} more` : '';
  return `${guess}: ends like ${like.slice(0, SHOWN).join(', ')}${more}`;
}
