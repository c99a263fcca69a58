import * as v from 'valibot';
import { about, type Doc } from './schema.js';

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

/** All standings: preferred clearly to all others, close to the first, behind it, and far behind. */
export const STANDINGS = ['clear', 'rival', 'behind', 'remote'] as const;
/** One of `STANDINGS`. */
export type Standing = (typeof STANDINGS)[number];

const standing = {
  standing: about(
    v.optional(v.picklist(STANDINGS)),
    'Place in the ranking: preferred clearly, close to the first, behind it, far behind.',
  ),
};
export const unratedSchema = v.variant('code', [
  /** The change is older than this. */
  v.object({ code: v.literal('old_change'), days: v.number(), ...standing }),
  /** The repository has fewer commits than this. */
  v.object({ code: v.literal('few_commits'), commits: v.number(), ...standing }),
  v.object({ code: v.picklist(['shallow', 'revision_missing', 'investigated']), ...standing }),
]);
/**
 * Why a suspect has no probability: for such a case it was not measured how often the ranking is right. `standing` is set on
 * every stored suspect.
 */
export type Unrated = Doc<typeof unratedSchema>;

interface Probable {
  readonly probability: number | null;
  readonly unrated?: Unrated | undefined;
}

/** Reads on from "No probability:". */
export function unratedText(unrated: Unrated): string {
  switch (unrated.code) {
    case 'old_change':
      return `Culprit’s accuracy was measured only for changes of the last ${unrated.days} days`;
    case 'few_commits':
      return `Culprit’s accuracy was measured only in repositories with at least ${unrated.commits} commits`;
    case 'shallow':
      return 'the clone is shallow, so older causes are not seen';
    case 'investigated':
      return 'Culprit’s accuracy was measured only without the finding of an investigation';
    case 'revision_missing':
      return 'the crashed commit is not in the repository, so other code was compared';
  }
}

/** Why suspects have no probability, each reason once, for a list that shows several. */
export function unratedTexts(suspects: readonly Pick<Probable, 'unrated'>[]): readonly string[] {
  return [...new Set(suspects.flatMap(({ unrated }) => (unrated === undefined ? [] : unratedText(unrated))))];
}

/** Minimum probability of each verdict where everything is as measured. */
export const VERDICT_AT = { auto: 0.95, likely: 0.7 } as const;
const RIVAL_AT = 0.2;
const MIN_SHOWN = 0.01;

/** The suspect without a probability that was not measured. Nothing outside the ranking has the number. */
export function withoutUnmeasured<S extends Probable>(suspect: S): S {
  const { probability, unrated } = suspect;
  if (unrated === undefined || probability === null) return suspect;
  return { ...suspect, probability: null, unrated: { ...unrated, standing: standingAt(probability) } };
}

function standingAt(share: number): Standing {
  if (share >= VERDICT_AT.likely) return 'clear';
  if (share >= RIVAL_AT) return 'rival';
  return share >= MIN_SHOWN ? 'behind' : 'remote';
}

/** Where the suspect stands, measured or not. `null`: unknown. */
export function standingOf({ probability, unrated }: Probable): Standing | null {
  return probability === null ? (unrated?.standing ?? null) : standingAt(probability);
}

/** The ranking prefers it clearly, although nobody measured how often it is right there. */
export function mightStandOut({ unrated }: Pick<Probable, 'unrated'>): boolean {
  return unrated?.standing === 'clear';
}

/** A share in whole per cent, never 0 or 100. */
export function percent(share: number): string {
  return share < MIN_SHOWN ? 'under 1 %' : `${Math.min(99, Math.round(share * 100))} %`;
}

/** The probability as it is shown. */
export function likelihood({ probability }: Pick<Probable, 'probability'>): string {
  return probability === null ? 'no probability' : percent(probability);
}
