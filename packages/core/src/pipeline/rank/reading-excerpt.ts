import type { Diff, DiffFile } from '../../ports/code-host.js';
import { scrubLines, type TextScrubber } from '../scrub-text.js';
import { wordsOf } from './code-lines.js';
import type { CrashContext } from './crash-context.js';
import { kindOf } from './file-kind.js';

/** The part of a diff that a reader sees. */
export interface ReadingExcerpt {
  readonly text: string;
  /** The added and removed lines in it, without their signs. */
  readonly changed: readonly string[];
}

const MOST_CHARS = 1_200;
const MOST_LINES = 24;
const LINE_CHARS = 160;

interface Place {
  readonly file: DiffFile;
  readonly lines: readonly string[];
  /** Indices of the lines that are shown. */
  readonly shown: Set<number>;
}

/** The changed lines that share most with the crash, each with the lines next to it, in the diff's order. */
export function readingExcerpt({ files }: Diff, crash: CrashContext, scrub: TextScrubber): ReadingExcerpt {
  const places = files.flatMap((file) =>
    file.hunks.map(({ lines }): Place => ({ file, lines, shown: new Set() })),
  );
  const rated = places
    .flatMap((place, index) =>
      place.lines.flatMap((line, at) =>
        isChanged(line) ? { place, index, at, score: relevance(line, place.file, crash) } : [],
      ),
    )
    .sort((a, b) => b.score - a.score || a.index - b.index || a.at - b.at);
  let lines = 0;
  let chars = 0;
  for (const { place, at } of rated) {
    if (lines >= MOST_LINES || chars >= MOST_CHARS) break;
    for (const near of [at, at - 1, at + 1]) {
      const line = place.lines[near];
      if (line === undefined || place.shown.has(near)) continue;
      place.shown.add(near);
      lines++;
      chars += Math.min(LINE_CHARS, line.length);
    }
  }
  const cleaned = places.filter(({ shown }) => shown.size > 0).map((place) => shownLines(place, scrub));
  return {
    text: cleaned.map(({ path, lines: shown }) => [path, ...shown].join('\n')).join('\n'),
    changed: cleaned.flatMap(({ lines: shown }) => shown.filter(isChanged).map((line) => line.slice(1))),
  };
}

function relevance(line: string, { path, old_path }: DiffFile, crash: CrashContext): number {
  let score = crash.files.has(path) || crash.files.has(old_path) ? 3 : 0;
  if (kindOf(path) === 'code') score += 1;
  for (const word of new Set(wordsOf(line))) {
    if (crash.error.has(word)) score += 3;
    else if (crash.functions.has(word)) score += 2;
    else if (crash.source.has(word)) score += 1;
  }
  return score;
}

/** Gaps are marked by `…`. A hunk that contains a secret of several lines is left out. */
function shownLines({ file, lines, shown }: Place, scrub: TextScrubber) {
  const clean = scrubLines(lines, scrub, LINE_CHARS) ?? [];
  const kept = clean.flatMap((line, at) => {
    if (!shown.has(at)) return [];
    return at > 0 && !shown.has(at - 1) ? ['…', line] : [line];
  });
  return { path: file.path, lines: kept };
}

function isChanged(line: string): boolean {
  return line.startsWith('+') || line.startsWith('-');
}
