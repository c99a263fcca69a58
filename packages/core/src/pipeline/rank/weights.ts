/**
 * Every number of the ranking. {@link CORE_STAGE_TWO} is what `npm run bench -- suspects --cache DIR --mined DIR` fits:
 * conditional logit over the candidates and "none of these", with ridge and with the sign of each feature fixed.
 * Published figures never come from weights that saw the case: `docs/accuracy.md`. Why these features:
 * `docs/decisions/0027-ranking-reads-the-change.md`; which cases: `0031-cases-for-the-fit-alone.md` there. Change
 * anything here only together with {@link RANKING_VERSION}.
 */
export const RANKING_VERSION = '7';

/** The features of a candidate; see `features.ts`. */
export const FEATURES = [
  'near',
  'sure',
  'function',
  'newest_owner',
  'recency',
  'history',
  'touches_file',
  'window',
  'message',
  'message_error',
  'tidy',
  'bump',
  'error_added',
  'error_removed',
  'source_added',
  'edits_function',
  'edits_callee',
  'undefines',
  'arity',
  'nulls',
  'sweep',
  'no_code',
  'touches_dir',
  'newest',
  'breaks',
  'clear_line',
  'clear_break',
  'superseded',
] as const;
export type Feature = (typeof FEATURES)[number];
/**
 * `none`: the score of "none of these", which a candidate must exceed. `environment` is added to it if the error is about
 * the program's environment. Absent features have weight 0.
 */
export type Weights = Readonly<Partial<Record<Feature, number>>> & {
  readonly none: number;
  readonly environment?: number;
};

/** Set by judgement, because no case shows them: releases, reported source lines, repositories with few commits. */
export const NOT_FITTED = [
  'sure',
  'window',
  'clear_line',
  'clear_break',
  'superseded',
] as const satisfies readonly Feature[];
const BY_REASON = { sure: 2.5, window: 1, clear_line: 1.5, clear_break: 3.5, superseded: -3.5 } as const;

/** Blame, history and commit messages alone. Selects the commits whose diffs are read, and ranks if none can be read. */
export const CORE_STAGE_ONE: Weights = {
  near: 4.165,
  recency: 0.532,
  history: 1.826,
  touches_file: 1.685,
  message: 0.205,
  none: 3.739,
  environment: 0.895,
  ...BY_REASON,
};
/** With the diffs of the most likely commits. */
export const CORE_STAGE_TWO: Weights = {
  near: 2,
  function: 0.078,
  newest_owner: 1.029,
  recency: 0.506,
  history: 1.148,
  touches_file: 0.691,
  message: 0.091,
  message_error: 0.922,
  tidy: -0.336,
  bump: -0.457,
  error_added: 0.476,
  error_removed: 0.378,
  source_added: 0.099,
  edits_function: 0.664,
  edits_callee: 0.164,
  undefines: 0.733,
  arity: 2.099,
  nulls: 0.761,
  sweep: -0.08,
  no_code: -1.024,
  touches_dir: 1.156,
  newest: 0.547,
  breaks: 0.029,
  none: 3.562,
  environment: 0.895,
  ...BY_REASON,
};

/**
 * The rule for C, C++ and Rust, set by judgement: commits that last changed a line of the stack first, newest first; then
 * the others by distance. `owner` outweighs any age. Scores are divided by `temperature` before they become probabilities,
 * so that the first suspect is correct about as often as its probability says. A native suspect is never `auto`.
 */
export const NATIVE_RULE = { owner: 20, near: 10, recency: 1, none: 18, temperature: 2 } as const;

/** Factor on nearness for each further line of the stack. Not applied to native crashes. */
export const DEPTH = { core: 0.7, native: 1 } as const;
/** Distance in lines at which nearness falls to 1/e. */
export const LINE_SCALE = 10;
/** Factor on nearness of a line that belongs to another function. */
export const OTHER_FUNCTION = 0.3;
/** Factor on nearness if the reported source line does not match. */
export const UNVERIFIED = 0.5;
/** Number of entries read of a file's history; also the rank of a commit in none of them. */
export const ABSENT_RANK = 20;
/** Number of candidates from which words have full weight; set by judgement, because every case has more. */
export const FULL_WEIGHT_CANDIDATES = 4;

/** Number of suspects shown. */
export const SHOWN_SUSPECTS = 5;
/** Number of commits of the stack's files that are ranked, besides the repository's recent ones. */
export const STAGE_TWO_POOL = 60;
/** Number of diffs from which stage two is used alone. */
export const STAGE_TWO_FROM = 25;
/** Default number of diffs read per analysis. */
export const CLAIMED_DIFFS = 50;
