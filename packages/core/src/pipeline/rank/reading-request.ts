import { VERDICT_AT } from '../../domain/verdict.js';
import type { ReadingRequest } from '../../ports/explainer.js';
import { clip } from '../draft/visible.js';
import { sha256Hex } from '../hash.js';
import type { TextScrubber } from '../scrub-text.js';
import type { CrashContext } from './crash-context.js';
import type { HistoryReader } from './history-reader.js';
import { readingExcerpt } from './reading-excerpt.js';
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
