import { gatherTraces, type Traces } from './candidates.js';
import { type FeatureVector, type Measurement, measureAll } from './features.js';
import type { RankedCandidate, RankInput } from './types.js';
import {
  ABSENT_RANK,
  CORE_STAGE_ONE,
  CORE_STAGE_TWO,
  FEATURES,
  NATIVE_RULE,
  STAGE_TWO_FROM,
  STAGE_TWO_POOL,
  type Weights,
} from './weights.js';

/** Replaces the shipped weights, for a fold of the benchmark. */
export interface RankWeights {
  readonly stageOne: Weights;
  readonly stageTwo: Weights;
}
const SHIPPED: RankWeights = { stageOne: CORE_STAGE_ONE, stageTwo: CORE_STAGE_TWO };

/**
 * Ranks the commits that may have caused the crash, most likely first: the most likely commits of the stack's files, and
 * the repository's recent commits. Stage two is used if any diff was read (`content` of a change), else stage one; native
 * traces have their own rule. Equal scores are ordered by the file's history, then by SHA. Probabilities leave room for
 * "none of these". Pure: the same input gives the same numbers on every machine.
 */
export function rankCandidates(
  input: RankInput,
  { stageOne, stageTwo }: RankWeights = SHIPPED,
  pool: readonly Traces[] = poolOf(input, stageOne),
): readonly RankedCandidate[] {
  const measured = measure(input, pool);
  if (input.native) return scored(measured, nativeRule, NATIVE_RULE.temperature);
  const read = measured.filter(({ traces }) => (input.changes.get(traces.sha)?.content ?? null) !== null);
  const share = read.length / Math.min(STAGE_TWO_FROM, measured.length);
  const weights = between(stageOne, stageTwo, Math.min(1, share));
  const none = weights.none + (input.crash.aboutEnvironment ? (weights.environment ?? 0) : 0);
  return scored(measured, weighted({ ...weights, none }));
}

/** With fewer diffs than stage two needs, the weights are interpolated between the stages. */
function between(one: Weights, two: Weights, share: number): Weights {
  const at = (from = 0, to = 0) => from + (to - from) * share;
  const parts = FEATURES.map((name) => [name, at(one[name], two[name])] as const);
  return {
    ...(Object.fromEntries(parts) as Weights),
    none: at(one.none, two.none),
    environment: at(one.environment, two.environment),
  };
}

export interface Measured extends Measurement {
  readonly traces: Traces;
}

/** The candidates with their features. */
export function measure(input: RankInput, pool: readonly Traces[]): readonly Measured[] {
  const own = pool.filter(({ sha }) => input.changes.get(sha)?.ownChange !== false);
  const measured = measureAll(own, input);
  return own.flatMap((traces) => {
    const found = measured.get(traces.sha);
    return found ? [{ traces, ...found }] : [];
  });
}

/**
 * The most likely commits of the stack's files by blame and history alone, and the repository's recent commits; all commits
 * for native crashes. Diffs that are read later do not change the list.
 */
export function poolOf(input: RankInput, stageOne: Weights = CORE_STAGE_ONE): readonly Traces[] {
  const crashedAt = Date.parse(input.crashedAt);
  const admitted = [...gatherTraces(input).values()].filter(
    ({ sha, time }) => !input.ignored.has(sha) && time <= crashedAt,
  );
  if (input.native) return admitted;
  const inFiles = admitted.filter(({ inFile }) => inFile);
  const measured = measureAll(inFiles, { ...input, changes: new Map() });
  const rated = inFiles
    .map((traces) => ({ traces, score: totalOf(measured.get(traces.sha)?.features, stageOne) }))
    .sort((a, b) => b.score - a.score || byHistory(a.traces, b.traces));
  const likely = rated.slice(0, STAGE_TWO_POOL).map(({ traces }) => traces);
  const chosen = new Set(likely);
  const recent = new Set(input.recent.map(({ sha }) => sha));
  return [...likely, ...admitted.filter((traces) => recent.has(traces.sha) && !chosen.has(traces))];
}

function totalOf(features: FeatureVector | undefined, weights: Weights): number {
  let total = 0;
  for (const name of FEATURES) total += (weights[name] ?? 0) * (features?.[name] ?? 0);
  return total;
}

interface Rating {
  readonly components: Readonly<Record<string, number>>;
  readonly none: number;
}
type Score = (measured: Measured) => Rating;

function weighted(weights: Weights): Score {
  return ({ features }) => ({
    components: kept(FEATURES.map((name) => [name, (weights[name] ?? 0) * features[name]])),
    none: weights.none,
  });
}

function nativeRule({ traces, features }: Measured): Rating {
  const { owner, near, recency, none } = NATIVE_RULE;
  const components = kept([
    ['owner', traces.owned === null ? 0 : owner],
    ['near', near * (traces.owned === null ? features.near : 1)],
    ['recency', recency * features.recency],
  ]);
  return { components, none };
}

function kept(parts: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    parts.map(([name, value]) => [name, round(value)] as const).filter(([, value]) => value !== 0),
  );
}

function scored(measured: readonly Measured[], score: Score, temperature = 1): readonly RankedCandidate[] {
  const rated = measured.map((one) => {
    const { components, none } = score(one);
    return { ...one, components, none, score: round(sumOf(components)) };
  });
  rated.sort((a, b) => b.score - a.score || byHistory(a.traces, b.traces));
  const none = rated[0]?.none ?? 0;
  const best = Math.max(none, rated[0]?.score ?? 0);
  const odds = (value: number) => Math.exp((value - best) / temperature);
  const total = rated.reduce((sum, one) => sum + odds(one.score), odds(none));
  return rated.map(({ traces, features, mechanisms, components, score: own }) => ({
    sha: traces.sha,
    committed_at: traces.committed_at,
    score: own,
    components,
    probability: round(odds(own) / total),
    ageDays: round(Math.exp(-features.recency) - 1),
    frames: [...traces.frames].sort((a, b) => b - a),
    owned: traces.owned,
    nearest: traces.owned === null ? traces.nearest : null,
    historyRank: traces.historyRank < ABSENT_RANK ? traces.historyRank : null,
    inWindow: features.window > 0,
    mechanisms,
  }));
}

/** Commits of one series may have equal timestamps; the file's history gives their order. */
function byHistory(a: Traces, b: Traces): number {
  return a.historyRank - b.historyRank || (a.sha < b.sha ? -1 : 1);
}

const sumOf = (components: Readonly<Record<string, number>>): number =>
  Object.values(components).reduce((sum, part) => sum + part, 0);

/** Rounds to four decimals, because the last bits of a logarithm differ between machines. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
