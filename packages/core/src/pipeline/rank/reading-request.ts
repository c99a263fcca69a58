import { VERDICT_AT } from '../../domain/verdict.js';
import type { Diff, DiffFile } from '../../ports/code-host.js';
import type { ReadingRequest } from '../../ports/explainer.js';
import { clip } from '../draft/visible.js';
import { sha256Hex } from '../hash.js';
import { scrubLines, type TextScrubber } from '../scrub-text.js';
import { wordsOf } from './code-lines.js';
import type { CrashContext } from './crash-context.js';
import { kindOf } from './file-kind.js';
import type { HistoryReader } from './history-reader.js';
import type { Position, RankedCandidate } from './types.js';

/** Suspects that a reader may see. */
const MOST_READ = 8;
/** A reader may put a suspect first whose probability is at least this share of the first one's. */
const DOUBT = 0.1;
const TITLE_CHARS = 120;
const MESSAGE_CHARS = 300;
const STACK_LINES = 5;
const CRASH_CHARS = 2_000;

/** The suspects whose order is uncertain; none if the first one is likely or no other is near it. */
export function uncertain(ranked: readonly RankedCandidate[]): readonly RankedCandidate[] {
  const [first] = ranked;
  if (first === undefined || first.probability >= VERDICT_AT.likely) return [];
  const near = ranked
    .slice(0, MOST_READ)
    .filter(({ probability }) => probability >= DOUBT * first.probability);
  return near.length < 2 ? [] : near;
}

export interface Shown {
  readonly request: ReadingRequest;
  readonly candidates: ReadonlyMap<string, { readonly sha: string; readonly changed: readonly string[] }>;
}

export interface RequestParts {
  /** Decides the order of the commits. */
  readonly runId: string;
  readonly crash: CrashContext;
  readonly crashText: string;
  readonly reader: Pick<HistoryReader, 'commit' | 'diff'>;
  readonly scrub: TextScrubber;
}

/**
 * The question about these suspects, in an order that depends only on the run and the commits. Nothing is asked about
 * suspects whose diffs cannot be shown.
 */
export async function readingRequest(
  near: readonly RankedCandidate[],
  { runId, crash, crashText, reader, scrub }: RequestParts,
): Promise<Shown> {
  const mixed = [...near]
    .map(({ sha }) => ({ sha, key: sha256Hex(`${runId} ${sha}`) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const seen = await Promise.all(
    mixed.map(async ({ sha }) => {
      const diff = await reader.diff(sha);
      const excerpt = diff && readingExcerpt(diff, crash, scrub);
      if (!excerpt || excerpt.changed.length === 0) return [];
      const commit = await reader.commit(sha);
      const message = commit?.message.split('\n').slice(1).join('\n').trim() ?? '';
      const about = [clip(scrub(commit?.title ?? ''), TITLE_CHARS), clip(scrub(message), MESSAGE_CHARS)];
      const text = [...about.filter((part) => part !== ''), excerpt.text].join('\n\n');
      return [{ sha, text, changed: excerpt.changed }];
    }),
  );
  const named = seen.flat().map((one, index) => ({ id: `c${index + 1}`, ...one }));
  return {
    request: { crash: crashText, commits: named.map(({ id, text }) => ({ id, text })) },
    candidates: new Map(named.map(({ id, sha, changed }) => [id, { sha, changed }])),
  };
}

/** The error and the first lines of the stack with their source. */
export function crashTextOf(error: string, positions: readonly Position[], scrub: TextScrubber): string {
  const lines = positions.slice(0, STACK_LINES).map(({ path, line, views }) => {
    const source = views[0]?.text ?? null;
    return source === null ? `${path}:${line}` : `${path}:${line}: ${clip(scrub(source.trim()), 160)}`;
  });
  return clip([scrub(error), ...lines].join('\n'), CRASH_CHARS);
}

/** The part of a diff that a reader sees. */
interface ReadingExcerpt {
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
function readingExcerpt({ files }: Diff, crash: CrashContext, scrub: TextScrubber): ReadingExcerpt {
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
