import type { Traces } from './candidates.js';
import type { CrashContext } from './crash-context.js';
import { breakingStrength, type Mechanism, mechanismsOf, type Rarity } from './mechanisms.js';
import type { ChangeContent, ChangeFacts, RankInput } from './types.js';
import { ABSENT_RANK, type Feature, FULL_WEIGHT_CANDIDATES } from './weights.js';

export type FeatureVector = Readonly<Record<Feature, number>>;

/** Nearness from which a commit owns the crashed line. */
const OWNED = 0.99;
const DAY_MS = 86_400_000;
/** The more candidates, the likelier it is that one changed a word of the crash by chance, so a clear break counts less, with the square. */
const FEW_CANDIDATES = 12;
/** Upper limit of sums over crash words. */
const CAP = 2.5;
const REVERT = /^(?:revert|reapply|re-apply|back ?out)\b|^"?Revert /i;
const TIDY =
  /\b(?:rename|refactor|clean ?up|typos?|format(?:ting)?|lint|style|comments?|docs?|documentation|whitespace|black|rubocop|prettier|isort|pep8)\b/i;
const BUMP =
  /\b(?:bump|upgrade|update)\b.*\b(?:version|dependency|dependencies|to v?\d)|^(?:release|version)\b|^v?\d+\.\d+/i;

export interface Measurement {
  readonly features: FeatureVector;
  readonly mechanisms: readonly Mechanism[];
}

/** The candidates' features, by SHA. The fewer candidates change a word, the higher its weight. */
export function measureAll(
  admitted: readonly Traces[],
  input: Pick<RankInput, 'changes' | 'crashedAt' | 'previousRelease' | 'crash'>,
): ReadonlyMap<string, Measurement> {
  const { crash, changes } = input;
  const crashedAt = Date.parse(input.crashedAt);
  const windowFrom = input.previousRelease === null ? Number.NaN : Date.parse(input.previousRelease);
  const newestFirst = [...admitted].sort(byAge);
  const known = newestFirst.flatMap(({ sha }) => changes.get(sha) ?? []);
  const contents = known.flatMap(({ content }) => content ?? []);
  const messageRarity = rarity(known.map(({ message }) => message));
  const edits = contents.filter(({ creates }) => creates < 0);
  const changed = rarity(edits.map((content) => [...content.added, ...content.removed, ...content.edited]));
  const edited = rarity(edits.map((content) => content.edits));
  const newest = newestMentions(contents, changed);
  const wordWeight = Math.min(1, admitted.length / FULL_WEIGHT_CANDIDATES);
  const few = Math.min(1, FEW_CANDIDATES / admitted.length) ** 2;
  const found = newestFirst.map((traces) => {
    const change = changes.get(traces.sha);
    const content = change?.content ?? null;
    const mechanisms = content === null ? [] : mechanismsOf(content, crash, changed, edited);
    return { traces, change, content, mechanisms, breaking: breakingStrength(mechanisms) };
  });
  const clearest = Math.max(0, ...found.map(({ breaking }) => breaking));
  const measured = new Map<string, Measurement>();
  /** Strength of the strongest break by a newer candidate. */
  let broken = 0;
  for (const { traces, change, content, mechanisms, breaking } of found) {
    const ownsCrash = traces.near >= OWNED;
    const features: FeatureVector = {
      near: traces.near,
      sure: traces.sure,
      function: traces.inFunction,
      newest_owner: traces.newestOwner ? 1 : 0,
      recency: -Math.log(1 + Math.max(0, crashedAt - traces.time) / DAY_MS),
      history: traces.historyRank < ABSENT_RANK ? 1 / (1 + traces.historyRank) : 0,
      touches_file: traces.inFile || content?.touchesFile === true ? 1 : 0,
      window: traces.time > windowFrom ? 1 : 0,
      message: wordWeight * sum(change?.message ?? [], messageRarity),
      message_error:
        wordWeight *
        sum(
          (change?.message ?? []).filter((word) => crash.error.has(word)),
          messageRarity,
        ),
      ...titleFeatures(change),
      ...contentFeatures(content, changed, edited, wordWeight, crash),
      newest: wordWeight * ((content && newest.get(content)) ?? 0),
      breaks: breaking,
      clear_line: ownsCrash ? few : 0,
      clear_break: few * breaking,
      superseded: few * Math.max(0, (ownsCrash ? broken : clearest) - breaking),
    };
    measured.set(traces.sha, { features, mechanisms });
    broken = Math.max(broken, breaking);
  }
  return measured;
}

export function isRevert(title: string): boolean {
  return REVERT.test(title);
}

function titleFeatures(change: ChangeFacts | undefined) {
  const title = change?.title ?? '';
  return { tidy: TIDY.test(title) ? 1 : 0, bump: BUMP.test(title) ? 1 : 0 };
}

/** Features of the diff, if it was read. */
function contentFeatures(
  content: ChangeContent | null,
  changed: Rarity,
  edited: Rarity,
  wordWeight: number,
  { error, source, functions, ...crash }: CrashContext,
) {
  const words = (all: readonly string[] = [], of: ReadonlySet<string>) =>
    wordWeight *
    sum(
      all.filter((word) => of.has(word)),
      changed,
    );
  const rarest = (all: readonly string[] = [], by = changed) =>
    wordWeight * Math.max(0, ...all.map((word) => by.get(word) ?? 0));
  const callees = content?.edits.filter((name) => source.has(name) && !functions.has(name));
  return {
    error_added: words(content?.added, error),
    error_removed: words(content?.removed, error),
    source_added: words(content?.added, source),
    edits_function: rarest(
      content?.edits.filter((name) => functions.has(name)),
      edited,
    ),
    edits_callee: rarest(callees, edited),
    undefines: rarest(content?.undefines),
    arity: crash.aboutArguments ? rarest(content?.redefines) : 0,
    nulls:
      crash.aboutMissingValue && content?.givesMissing
        ? Math.max(rarest(content.reassigns), rarest(callees, edited))
        : 0,
    sweep: content === null ? 0 : Math.log(1 + content.files.code),
    no_code: content !== null && content.size === 0 ? 1 : 0,
    touches_dir: content?.touchesDir ? 1 : 0,
  };
}

function byAge(a: Traces, b: Traces): number {
  return b.time - a.time || (a.sha < b.sha ? -1 : 1);
}

/** 1 for a word that is in one list only, approaching 0 for a word that is in all. */
function rarity(lists: readonly (readonly string[])[]): Rarity {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const most = Math.log(1 + lists.length);
  return new Map([...counts].map(([word, n]) => [word, (most - Math.log(n)) / most]));
}

function sum(words: readonly string[], weights: Rarity): number {
  let total = 0;
  for (const word of words) total += weights.get(word) ?? 0;
  return Math.min(CAP, total);
}

/** `changes` newest first. The latest change to something the crash mentions most likely broke it. */
function newestMentions(
  changes: readonly ChangeContent[],
  weights: Rarity,
): ReadonlyMap<ChangeContent, number> {
  const seen = new Map<string, number>();
  const credits = changes.map((change) => {
    let total = 0;
    for (const word of [...change.added, ...change.removed, ...change.edited]) {
      const place = (seen.get(word) ?? 0) + 1;
      seen.set(word, place);
      total += (weights.get(word) ?? 0) / place;
    }
    return [change, Math.min(CAP, total)] as const;
  });
  return new Map(credits);
}
