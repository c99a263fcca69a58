/** All verdicts, most certain first. */
export const VERDICTS = ['auto', 'likely', 'recent'] as const;
/** How certain a suspect is; one of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];
/** How each verdict is shown to people, as an adjective for the suspect. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  auto: 'very likely',
  likely: 'likely',
  recent: 'possible',
};

/** Why a probability was not measured where it was computed, and is not shown. */
export type Unrated =
  /** The change is older than this. */
  | { readonly code: 'old_change'; readonly days: number }
  /** The repository has fewer commits than this. */
  | { readonly code: 'few_commits'; readonly commits: number }
  | { readonly code: 'shallow' }
  | { readonly code: 'revision_missing' };

/** Reads on from "No probability:". */
export function unratedText(unrated: Unrated): string {
  switch (unrated.code) {
    case 'old_change':
      return `it was measured only for changes of the last ${unrated.days} days`;
    case 'few_commits':
      return `it was measured only in repositories with at least ${unrated.commits} commits`;
    case 'shallow':
      return 'the clone is shallow, so older causes are not seen';
    case 'revision_missing':
      return 'the crashed commit is not in the repository, so other code was compared';
  }
}

/** Minimum probability of each verdict where everything is as measured. */
export const VERDICT_AT = { auto: 0.95, likely: 0.7 } as const;

/** The ranking prefers it clearly, although nobody measured how often it is right there. */
export function mightStandOut(suspect: {
  readonly probability: number;
  readonly unrated?: Unrated | undefined;
}): boolean {
  return suspect.unrated !== undefined && suspect.probability >= VERDICT_AT.likely;
}

const LEAST_SHOWN = 0.01;

/** A share in whole per cent, never 0 or 100. */
export function percent(share: number): string {
  return share < LEAST_SHOWN ? 'under 1 %' : `${Math.min(99, Math.round(share * 100))} %`;
}

/** The probability as it is shown. */
export function likelihood(suspect: {
  readonly probability: number;
  readonly unrated?: Unrated | undefined;
}): string {
  return suspect.unrated === undefined ? percent(suspect.probability) : 'no probability';
}
