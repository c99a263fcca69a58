import type { Traces } from './candidates.js';
import type { ChangeFacts, RankInput } from './types.js';
import { ABSENT_RANK, CAPS, type Feature, TELLING_POOL } from './weights.js';

export type FeatureVector = Readonly<Record<Feature, number>>;

const DAY_MS = 86_400_000;

/**
 * The candidates measured, by SHA. Words weigh by how few of the candidates say them, and less where candidates are few:
 * in a young repository the first commit says every word.
 * `near` 1 on a line of the stack, less with every line away and every frame from the crash ·
 * `recency` −ln(1 + age in days) · `history` 1 / (1 + place in a traced file's history) ·
 * `touches_file` 1 if it ever touched a file of the stack · `message` crash words in its message ·
 * `mentions` crash words in its changed lines · `newest` the same, each word divided by how many newer changes
 * mention it too · `sure` as `near`, on lines known to be the crashed ones · `window` 1 if it came with the release
 * that crashed first.
 */
export function featuresOf(
  admitted: readonly Traces[],
  input: Pick<RankInput, 'changes' | 'crashedAt' | 'previousRelease'>,
): ReadonlyMap<string, FeatureVector> {
  const crashedAt = Date.parse(input.crashedAt);
  const windowFrom = input.previousRelease === null ? Number.NaN : Date.parse(input.previousRelease);
  const known = admitted
    .filter(({ sha }) => input.changes.has(sha))
    .sort(byAge)
    .flatMap(({ sha }) => input.changes.get(sha) ?? []);
  const read = known.filter(({ mentions }) => mentions !== null);
  const said = rarity(known.map(({ message }) => message));
  const mentioned = rarity(read.map(({ mentions }) => mentions ?? []));
  const newest = newestMentions(read, mentioned);
  const telling = Math.min(1, admitted.length / TELLING_POOL);
  const features = admitted.map((traces) => {
    const change = input.changes.get(traces.sha);
    const vector: FeatureVector = {
      near: traces.near,
      recency: -Math.log(1 + Math.max(0, crashedAt - traces.time) / DAY_MS),
      history: traces.historyRank < ABSENT_RANK ? 1 / (1 + traces.historyRank) : 0,
      touches_file: traces.inFile || change?.touchesFile === true ? 1 : 0,
      message: telling * sum(change?.message ?? [], said, CAPS.message),
      mentions: telling * sum(change?.mentions ?? [], mentioned, CAPS.mentions),
      newest: telling * ((change && newest.get(change)) ?? 0),
      sure: traces.sure,
      window: traces.time > windowFrom ? 1 : 0,
    };
    return [traces.sha, vector] as const;
  });
  return new Map(features);
}

function byAge(a: Traces, b: Traces): number {
  return b.time - a.time || (a.sha < b.sha ? -1 : 1);
}

/** ln((1 + n) / (1 + how many say it)) for every word. */
function rarity(lists: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...counts].map(([word, n]) => [word, Math.log((1 + lists.length) / (1 + n))]));
}

function sum(words: readonly string[], weights: ReadonlyMap<string, number>, cap: number): number {
  let total = 0;
  for (const word of words) total += weights.get(word) ?? 0;
  return Math.min(cap, total);
}

/** `changes` newest first. The last change of what the crash speaks of is the likeliest to have broken it. */
function newestMentions(
  changes: readonly ChangeFacts[],
  weights: ReadonlyMap<string, number>,
): ReadonlyMap<ChangeFacts, number> {
  const seen = new Map<string, number>();
  const credits = changes.map((change) => {
    let total = 0;
    for (const word of change.mentions ?? []) {
      const place = (seen.get(word) ?? 0) + 1;
      seen.set(word, place);
      total += (weights.get(word) ?? 0) / place;
    }
    return [change, Math.min(CAPS.newest, total)] as const;
  });
  return new Map(credits);
}
