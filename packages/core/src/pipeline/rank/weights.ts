/**
 * Every number of the ranking. How the weights of {@link CORE_STAGE_ONE} and {@link CORE_STAGE_TWO} were made:
 * `node bench/suspects/fit.mjs` on all 91 core cases of `shared/bench/suspects` (conditional logit over the candidates
 * and "none of these", ridge {@link FIT.ridge}, diffs of the {@link FIT.diffs} likeliest). Published figures are never
 * those of these weights on their own cases: `docs/accuracy.md`. The features are frozen by
 * `docs/decisions/0012-ranking-features.md`; `sure` and `window`, which no case can show, and the native rule are set by
 * reason. Change anything here only together with {@link RANKING_VERSION}.
 */
export const RANKING_VERSION = '3';

/** What a candidate is measured by; see `features.ts`. */
export const FEATURES = [
  'near',
  'recency',
  'history',
  'touches_file',
  'message',
  'mentions',
  'newest',
  'sure',
  'window',
] as const;
export type Feature = (typeof FEATURES)[number];
/** `none`: what a candidate must outweigh, the score of "none of these". Absent features weigh nothing. */
export type Weights = Readonly<Partial<Record<Feature, number>>> & { readonly none: number };

/** What the fit takes and what it leaves to reason. */
export const FIT = {
  stageOne: ['near', 'recency', 'history', 'touches_file', 'message'],
  stageTwo: ['near', 'recency', 'history', 'touches_file', 'message', 'mentions', 'newest'],
  ridge: 3,
  /** The budget that the product runs at: {@link CLAIMED_DIFFS}. */
  diffs: 50,
} as const;

/** Not fitted: the cases know no source lines, no look-through and no releases. */
const BY_REASON = { sure: 2.5, window: 1 } as const;

/** Blame, history and commit messages alone. Chooses whose diffs are read; ranks where none may be. */
export const CORE_STAGE_ONE: Weights = {
  near: 4.165,
  recency: 0.532,
  history: 1.826,
  touches_file: 1.685,
  message: 0.205,
  none: 3.739,
  ...BY_REASON,
};
/** With the diffs of the likeliest. */
export const CORE_STAGE_TWO: Weights = {
  near: 2.102,
  recency: 0.507,
  history: 1.562,
  touches_file: 1.073,
  message: 0.092,
  mentions: 0.147,
  newest: 0.455,
  none: 4.06,
  ...BY_REASON,
};

/**
 * The rule for C, C++ and Rust, stated and not fitted: commits that own a line of the stack go first, the newest before
 * the older; then the nearer before the farther. `owner` outweighs every age. Scores are divided by `temperature` before
 * they become probabilities, so that the first is right about as often as it says; a native suspect is never `auto`.
 */
export const NATIVE_RULE = { owner: 20, near: 10, recency: 1, none: 18, temperature: 2 } as const;

/** Factor on nearness for each further line of the stack. Native: none, the stack is one place. */
export const DEPTH = { core: 0.7, native: 1 } as const;
/** Lines over which nearness falls to 1/e. */
export const LINE_SCALE = 10;
/** Nearness counts half where the reported source line does not stand at the line. */
export const UNVERIFIED = 0.5;
/** Entries of a file's history that are looked at; the place of a commit in none of them. */
export const ABSENT_RANK = 20;
/** Sums over crash words are cut here. */
export const CAPS = { message: 6, mentions: 8, newest: 6 } as const;

/** Candidates from which words weigh whole; set by reason, as every case has more. */
export const TELLING_POOL = 7;

/** Probability from which a verdict holds; how often it is right at these, out of sample: `docs/accuracy.md`. */
export const VERDICT_AT = { auto: 0.85, likely: 0.5 } as const;
/** Suspects shown. */
export const SHOWN_SUSPECTS = 5;
/** Commits of the stack's files that go on, besides the repository's recent ones. */
export const STAGE_TWO_POOL = 25;
/** Diffs from which stage two speaks alone. */
export const STAGE_TWO_FROM = 25;
/** Diffs read for one analysis unless the policy says otherwise. */
export const CLAIMED_DIFFS: number = FIT.diffs;
